#pragma once
#include <nlohmann/json.hpp>

namespace compeer::serve {

/// compeer serve: answers requests until SIGINT or SIGTERM. Prints the base URL for clients to standard output:
/// "http://127.0.0.1:8000/v1". Returns the exit code.
int serve(const nlohmann::json& options);

}  // namespace compeer::serve
