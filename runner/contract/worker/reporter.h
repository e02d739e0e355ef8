#pragma once
#include <string>

#include "contract/finding.h"

namespace compeer::contract {

/// A call into the plugin. The process ends if the object exists for longer than its time.
class Call {
 public:
  explicit Call(double seconds);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

/// Writes the report of the checks to an open file, which the front end reads (contract/worker_check.h): one line of
/// JSON for every call and finding, so that the report is complete up to a crash.
class Reporter {
 public:
  /// The file's number is replaced by a high one, which plugins that use a wrong number do not reach.
  explicit Reporter(int file);

  /// From now on a crash, a call of exit() and a call that takes longer than `patience` seconds end this process, after
  ///   {"crash": {"signal": 11 or "exit": 0 or "seconds": 60}}
  /// and the stack, one line for each function. One per process.
  void watch(double patience);

  /// Sets the check that the following findings belong to.
  void begin(const std::string& check) { check_ = check; }

  void holds(const std::string& what) { add(CheckVerdict::holds, what); }
  void fails(const std::string& what) { add(CheckVerdict::fails, what); }
  void not_checked(const std::string& why) { add(CheckVerdict::not_checked, why); }

  /// Announces a call, which may take `factor` times the patience.
  Call call(const std::string& method, const std::string& input, int factor = 1);

  /// All checks are done. `made`: an object of the plugin could be made.
  void finish(bool made);
  /// The checks themselves failed.
  void fail(const std::string& why);

 private:
  void add(CheckVerdict verdict, const std::string& what);
  void write(const nlohmann::json& line) const;

  int file_;
  double patience_ = 0;
  std::string check_;
};

}  // namespace compeer::contract
