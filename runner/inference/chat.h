#pragma once
#include <nlohmann/json.hpp>

namespace compeer::inference {

/// compeer chat: a conversation with a model. Lines from standard input are what the user says, replies are streamed to
/// standard output as they come; prompts and remarks go to standard error, and only if a person is at a terminal.
/// Lines that begin with a slash are commands: /help lists them. Ctrl-C ends a reply, Ctrl-D the conversation.
int chat(const nlohmann::json& options);

}  // namespace compeer::inference
