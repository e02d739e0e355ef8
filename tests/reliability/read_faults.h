#pragma once

/// Returns true and sets errno if FAULT_READ chose this call to fail: a call that reads the file at `path`, relative to
/// `folder` as for openat, or the file of an open descriptor. README.md describes the variables.
bool read_fails(const char* call, int folder, const char* path);
bool read_fails(const char* call, int descriptor);
