#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::conformance {

enum class CheckVerdict {
  holds,
  fails,
  not_checked,  ///< the finding's `what` contains the reason and a remedy
};
NLOHMANN_JSON_SERIALIZE_ENUM(CheckVerdict, {{CheckVerdict::holds, "holds"},
                                            {CheckVerdict::fails, "fails"},
                                            {CheckVerdict::not_checked, "not checked"}})

/// One result of `compeer plugins check`. The worker sends its findings as JSON.
struct CheckFinding {
  std::string check;  ///< "inputs", "growth", ...
  CheckVerdict verdict = CheckVerdict::holds;
  std::string what;
  std::vector<std::string> stack = {};  ///< a crash's functions, innermost first; empty without a crash
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckFinding, check, verdict, what, stack)

/// A rule makes several calls into the plugin: it may take this many times the patience of one call.
constexpr int rule_patience = 10;

/// Describes a call in a sentence: "in score() with empty texts". The method "load" is the loading of the library,
/// "new" the plugin's constructor and "~" its destructor.
inline std::string place_text(const std::string& method, const std::string& input) {
  if (method == "load") return "while being loaded";
  const auto with = input.empty() ? "" : " with " + input;
  return (method == "new" ? "in its constructor" : method == "~" ? "in its destructor" : "in " + method + "()") + with;
}

}  // namespace compeer::conformance
