#pragma once
#include <signal.h>

#include <nlohmann/json.hpp>

// The command `compeer chat`, and its handling of Ctrl-C.

namespace compeer::inference {

/// Runs compeer chat: an interactive conversation with a model. Each line of standard input is a user message; replies
/// are streamed to standard output. Prompts and notes go to standard error, and only if input and standard error are a
/// terminal. Lines that begin with a slash are commands (/help lists them). Ctrl-C ends a reply, Ctrl-D the
/// conversation.
///
/// `options`: the command's options by name ("model", "system", "temperature", ...). Returns the exit code of the
/// process. If input is no terminal, invalid input throws Error (exit code 4: invalid data); at a terminal it is
/// reported and the conversation continues.
int chat(const nlohmann::json& options);

/// While an object with `wanted` lives, SIGINT (Ctrl-C) sets a flag instead of ending the process. At most one object
/// at a time: the flag is global.
class SigintFlag {
 public:
  /// `wanted`: install the signal handler; false: the object does nothing and the flag stays clear. Throws Error (exit
  /// code 1: other failure) if no event descriptor can be created.
  explicit SigintFlag(bool wanted);
  ~SigintFlag();  ///< restores the previous signal handler
  SigintFlag(const SigintFlag&) = delete;
  SigintFlag& operator=(const SigintFlag&) = delete;

  /// True if SIGINT arrived since construction or the last `clear`.
  bool raised() const;
  void clear();
  /// Returns a file descriptor, owned by this object, that is readable while the flag is set; -1 if not `wanted`.
  /// Waiting for it with poll loses no signal that arrives between a check of the flag and the wait.
  int descriptor() const;

 private:
  bool wanted_;
  struct sigaction before_ = {};  // the previous handler of SIGINT
};

}  // namespace compeer::inference
