#pragma once
#include <nlohmann/json.hpp>

namespace compeer::serve {

/// compeer serve: answers requests until it is asked to stop. Prints the address that clients are given, on standard
/// output: "http://127.0.0.1:8000/v1".
int serve(const nlohmann::json& options);

}  // namespace compeer::serve
