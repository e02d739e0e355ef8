#pragma once
#include <signal.h>

#include <nlohmann/json.hpp>

namespace compeer::inference {

/// compeer chat: a conversation with a model. Lines from standard input are what the user says, replies are streamed to
/// standard output as they come; prompts and remarks go to standard error, and only if a person is at a terminal.
/// Lines that begin with a slash are commands: /help lists them. Ctrl-C ends a reply, Ctrl-D the conversation.
int chat(const nlohmann::json& options);

/// While it lives, and if `wanted`, Ctrl-C raises a flag instead of ending the program.
class Interruption {
 public:
  explicit Interruption(bool wanted);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool raised() const;
  void clear();
  /// Can be read while the flag is up, so that one that goes up just before somebody waits wakes them too. -1 if not
  /// wanted.
  int descriptor() const;

 private:
  bool wanted_;
  struct sigaction before_ = {};
};

}  // namespace compeer::inference
