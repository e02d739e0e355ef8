#pragma once
#include <string>

#include "conformance/finding.h"

namespace compeer::conformance {

/// Time limit of one call into the plugin: the process ends if this object exists for longer than `seconds`.
class Call {
 public:
  explicit Call(double seconds);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

/// Writes the report of the checks to an open file that the front end reads (conformance/worker_check.h): one line of
/// JSON for every call and finding, so that a crash loses nothing.
class Reporter {
 public:
  /// Moves the file to a high descriptor number, which plugins that use a wrong descriptor are unlikely to hit.
  explicit Reporter(int file);

  /// From now on, a crash, a call of exit() and a call longer than `patience` seconds end this process, after writing
  ///   {"crash": {"signal": 11 or "exit": 0 or "seconds": 60}}
  /// and the call stack, one line per function. Once per process.
  void watch(double patience);

  /// Sets the check that the following findings belong to.
  void begin(const std::string& check) { check_ = check; }

  void holds(const std::string& what) { add(CheckVerdict::holds, what); }
  void fails(const std::string& what) { add(CheckVerdict::fails, what); }
  void not_checked(const std::string& why) { add(CheckVerdict::not_checked, why); }

  /// Writes the line of a call, which may take `factor` times the patience. The call must be made while the result
  /// exists.
  Call call(const std::string& method, const std::string& input, int factor = 1);

  /// Reports that all checks are done. `made`: an object of the plugin could be made.
  void finish(bool made);
  /// Reports that the checks themselves failed.
  void fail(const std::string& why);

 private:
  void add(CheckVerdict verdict, const std::string& what);
  void write(const nlohmann::json& line) const;

  int file_;
  double patience_ = 0;
  std::string check_;
};

}  // namespace compeer::conformance
