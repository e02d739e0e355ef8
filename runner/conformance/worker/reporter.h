#pragma once
#include <string>

#include "conformance/finding.h"

namespace compeer::conformance {

// `compeer plugins check` calls a plugin in a worker process. A finding is one result of a check. "Patience" is the
// time that one call into the plugin may take, in seconds.

/// Time limit of one call into the plugin: the process ends if this object exists for longer than `seconds`. At most
/// one may exist, because the process has one timer.
class Call {
 public:
  explicit Call(double seconds);  ///< starts the timer
  ~Call();                        ///< stops the timer
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

/// Writes the report of the checks to a pipe that the front end reads. Every call and finding is written at once as a
/// line of JSON, so that a crash loses nothing.
class Reporter {
 public:
  /// `file`: open file descriptor of the pipe. Moves it to a high number, which plugins that use a wrong descriptor are
  /// unlikely to hit.
  explicit Reporter(int file);

  /// From now on, a crash, a call of exit() and a call longer than `patience` seconds end this process, after writing
  ///   {"crash": {"signal": 11 or "exit": 0 or "seconds": 60}}
  /// and the call stack, one line per function. May be called once per process.
  void watch(double patience);

  /// Sets the check that the following findings belong to: "inputs".
  void begin(const std::string& check) { check_ = check; }

  // Each writes a finding of the current check. The argument is a sentence for the user.
  void holds(const std::string& what) { add(CheckVerdict::holds, what); }
  void fails(const std::string& what) { add(CheckVerdict::fails, what); }
  void not_checked(const std::string& why) { add(CheckVerdict::not_checked, why); }

  /// Writes a line that announces a call into the plugin, and starts its time limit, `factor` times the patience. The
  /// call must be made while the result exists. `method`: "score", or "load", "new" and "~" for loading the library,
  /// constructing and destroying the plugin. `input`: name of the arguments, or "".
  Call call(const std::string& method, const std::string& input, int factor = 1);

  /// Reports that all checks are done. `made`: an object of the plugin could be constructed.
  void finish(bool made);
  /// Reports that the checks could not be completed, for another reason than the plugin's result. `why`: the error.
  void fail(const std::string& why);

 private:
  void add(CheckVerdict verdict, const std::string& what);  // writes a finding of the current check
  void write(const nlohmann::json& line) const;             // writes one line of the report; ignores write errors

  int file_;             // file descriptor of the pipe; not closed
  double patience_ = 0;  // time limit of a call with factor 1, in seconds
  std::string check_;    // name of the current check
};

}  // namespace compeer::conformance
