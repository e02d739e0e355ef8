#pragma once
#include <string>

#include "contract/remark.h"

namespace compeer::contract {

/// Tells the front end, line by line as JSON, what is being done and what was found: if this process ends in the midst
/// of it, all up to there is known.
class Reporter {
 public:
  explicit Reporter(int file) : file_(file) {}

  /// What follows belongs to this check.
  void begin(const std::string& check) { check_ = check; }

  void holds(const std::string& what) { say(CheckVerdict::holds, what); }
  void fails(const std::string& what) { say(CheckVerdict::fails, what); }
  void not_checked(const std::string& why) { say(CheckVerdict::not_checked, why); }
  void tells(const std::string& what) { say(CheckVerdict::told, what); }

  /// The next call into the plugin.
  void calls(const std::string& method, const std::string& input);

  /// All checks are over. `made`: there was an object of the plugin's to check.
  void ends(bool made);
  /// The checks themselves failed.
  void gives_up(const std::string& why);

 private:
  void say(CheckVerdict verdict, const std::string& what);
  void write(const nlohmann::json& line);

  int file_;
  std::string check_;
};

}  // namespace compeer::contract
