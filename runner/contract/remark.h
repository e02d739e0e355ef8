#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::contract {

/// One thing that `compeer plugins check` has to say of a plugin: worked out by the front end or in the worker, whose
/// findings come as JSON.
enum class CheckVerdict {
  holds,
  fails,
  not_checked,  ///< `what` says why, and what would help
  told,         ///< neither good nor bad
};
NLOHMANN_JSON_SERIALIZE_ENUM(CheckVerdict, {{CheckVerdict::holds, "holds"},
                                            {CheckVerdict::fails, "fails"},
                                            {CheckVerdict::not_checked, "not checked"},
                                            {CheckVerdict::told, "told"}})

struct Remark {
  std::string check;  ///< "inputs", "growth", ...
  CheckVerdict verdict = CheckVerdict::holds;
  std::string what;
  std::vector<std::string> stack = {};  ///< of a crash: where it was, innermost first
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Remark, check, verdict, what, stack)

/// Where a plugin was when something happened: "in score() with empty texts", "while it was loaded". Its constructor
/// is the method "new", its destructor "~".
inline std::string place_text(const std::string& method, const std::string& input) {
  if (method == "load") return "while it was loaded";
  const auto with = input.empty() ? "" : " with " + input;
  return (method == "new" ? "in its constructor" : method == "~" ? "in its destructor" : "in " + method + "()") + with;
}

}  // namespace compeer::contract
