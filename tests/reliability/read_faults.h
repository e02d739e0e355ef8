#pragma once

// Part of a library that is preloaded into a worker to test its behaviour when reads fail. README.md describes the
// environment variables that choose the call to fail, such as FAULT_READ.

/// Returns true and sets errno if this call is to fail. `call`: name of the function, such as "open"; `path`: the file,
/// relative to the directory descriptor `folder` as for openat.
bool read_fails(const char* call, int folder, const char* path);
/// The same for a call that reads from an open descriptor.
bool read_fails(const char* call, int descriptor);
