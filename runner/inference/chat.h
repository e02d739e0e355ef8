#pragma once
#include <signal.h>

#include <nlohmann/json.hpp>

namespace compeer::inference {

/// compeer chat: an interactive conversation with a model. Each line of standard input is a user message; replies are
/// streamed to standard output. Prompts and notes go to standard error, and only if input and standard error are a
/// terminal. Lines that begin with a slash are commands (/help lists them). Ctrl-C ends a reply, Ctrl-D the
/// conversation. Returns the exit code. Throws Error (exit 4) on input errors if input is no terminal.
int chat(const nlohmann::json& options);

/// While it lives, and if `wanted`, SIGINT (Ctrl-C) sets a flag instead of ending the process. At most one object at a
/// time: the state is global.
class SigintFlag {
 public:
  /// Throws Error (exit 1) if no event descriptor can be created.
  explicit SigintFlag(bool wanted);
  ~SigintFlag();
  SigintFlag(const SigintFlag&) = delete;
  SigintFlag& operator=(const SigintFlag&) = delete;

  /// True if SIGINT arrived since construction or the last `clear`.
  bool raised() const;
  void clear();
  /// File descriptor that is readable while the flag is set, for poll: no signal between a check and the wait is lost.
  /// -1 if not `wanted`.
  int descriptor() const;

 private:
  bool wanted_;
  struct sigaction before_ = {};
};

}  // namespace compeer::inference
