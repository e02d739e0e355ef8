#pragma once
#include <nlohmann/json.hpp>

namespace compeer::serve {

/// Runs compeer serve: answers OpenAI's chat-completion requests over HTTP until SIGINT or SIGTERM. `options`: the
/// command's options by name ("model", "adapters", "host", "port", ...). Prints the base URL for clients to standard
/// output: "http://127.0.0.1:8000/v1". Returns the exit code of the process.
int serve(const nlohmann::json& options);

}  // namespace compeer::serve
