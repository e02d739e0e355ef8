#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// The results of `compeer plugins check`, which tests the library of one plugin. The front end reads the descriptor and
// prints the results. A separate process, the worker, loads the library and calls its methods.

namespace compeer::conformance {

/// The outcome of one check. In JSON it is the string below.
enum class CheckVerdict {
  holds,        ///< the plugin passed
  fails,        ///< the plugin violates its contract; the command ends with exit code 5
  not_checked,  ///< skipped; the finding's `what` contains the reason and a remedy
};
NLOHMANN_JSON_SERIALIZE_ENUM(CheckVerdict, {{CheckVerdict::holds, "holds"},
                                            {CheckVerdict::fails, "fails"},
                                            {CheckVerdict::not_checked, "not checked"}})

/// One line of the command's output. The worker sends its findings as JSON. A check can have several.
struct CheckFinding {
  std::string check;  ///< name of the check: "descriptor", "settings", "inputs", "memory", ...
  CheckVerdict verdict = CheckVerdict::holds;
  std::string what;                     ///< a sentence for the user: the property that holds, or the problem
  std::vector<std::string> stack = {};  ///< a crash's functions, innermost first; empty without a crash
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckFinding, check, verdict, what, stack)

/// The time limit of a rule, as a multiple of the time limit of one call into the plugin (the option --patience). A
/// rule is a property that is checked with several calls.
constexpr int rule_patience = 10;

/// Describes a call into the plugin for the sentence of a finding: "in score() with empty texts". `method`: "load" for
/// the loading of the library, "new" for the constructor, "~" for the destructor, otherwise the method's name. `input`:
/// a name of the arguments, or "".
inline std::string place_text(const std::string& method, const std::string& input) {
  if (method == "load") return "while being loaded";
  const auto with = input.empty() ? "" : " with " + input;
  return (method == "new" ? "in its constructor" : method == "~" ? "in its destructor" : "in " + method + "()") + with;
}

}  // namespace compeer::conformance
