#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::launch {

/// Replaces this process by `compeer-worker model NAME OPTIONS`, which keeps its standard input and output, its
/// signals and its exit code. `threads` 0 leaves the number of threads to the machine.
[[noreturn]] void become_worker(const std::string& name, const nlohmann::json& options, int threads);

}  // namespace compeer::launch
