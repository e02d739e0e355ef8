// Jinja's tests, in a table.
#include "language/jinja/tests.h"

#include <map>

#include "language/jinja/access.h"
#include "language/jinja/printing.h"

namespace compeer::language::jinja {

namespace {

using Test = bool (*)(const Value& value, const Arguments& arguments);

const Value& other(const Arguments& arguments) {
  if (arguments.positional.size() != 1) throw TemplateError("a test requires a value to compare with");
  return arguments.positional[0];
}

int64_t remainder(const Value& value, const Value& by) {
  return arithmetic("%", value.integer("a number that is divided"), by.integer("a divisor")).integer("");
}

bool is_whole(const Value& value) { return value.is<int64_t>(); }

const std::map<std::string, Test>& table() {
  static const std::map<std::string, Test> tests = [] {
    std::map<std::string, Test> all{
        {"boolean", [](const Value& v, const Arguments&) { return v.is<bool>(); }},
        {"callable", [](const Value& v, const Arguments&) { return v.callable() != nullptr; }},
        {"defined", [](const Value& v, const Arguments&) { return !v.undefined(); }},
        {"divisibleby", [](const Value& v, const Arguments& a) { return remainder(v, other(a)) == 0; }},
        {"eq", [](const Value& v, const Arguments& a) { return equal(v, other(a)); }},
        {"even", [](const Value& v, const Arguments&) { return remainder(v, int64_t{2}) == 0; }},
        {"false", [](const Value& v, const Arguments&) { return v.is<bool>() && !v.truth(); }},
        {"float", [](const Value& v, const Arguments&) { return v.is<double>(); }},
        {"ge", [](const Value& v, const Arguments& a) { return compare(v, other(a)) >= 0; }},
        {"gt", [](const Value& v, const Arguments& a) { return compare(v, other(a)) > 0; }},
        {"in", [](const Value& v, const Arguments& a) { return contains(other(a), v); }},
        {"integer", [](const Value& v, const Arguments&) { return is_whole(v); }},
        {"iterable",
         [](const Value& v, const Arguments&) { return v.text() || v.list() || v.dict() || v.undefined(); }},
        {"le", [](const Value& v, const Arguments& a) { return compare(v, other(a)) <= 0; }},
        {"lower", [](const Value& v, const Arguments&) { return is_in_case(printed(v), lower); }},
        {"lt", [](const Value& v, const Arguments& a) { return compare(v, other(a)) < 0; }},
        {"mapping", [](const Value& v, const Arguments&) { return v.dict() != nullptr; }},
        {"ne", [](const Value& v, const Arguments& a) { return !equal(v, other(a)); }},
        {"none", [](const Value& v, const Arguments&) { return v.none(); }},
        {"number", [](const Value& v, const Arguments&) { return v.number(); }},
        {"odd", [](const Value& v, const Arguments&) { return remainder(v, int64_t{2}) == 1; }},
        {"sequence",
         [](const Value& v, const Arguments&) { return v.text() || v.list() || v.dict() || v.undefined(); }},
        {"string", [](const Value& v, const Arguments&) { return v.text() != nullptr; }},
        {"true", [](const Value& v, const Arguments&) { return v.is<bool>() && v.truth(); }},
        {"undefined", [](const Value& v, const Arguments&) { return v.undefined(); }},
        {"upper", [](const Value& v, const Arguments&) { return is_in_case(printed(v), upper); }},
    };
    for (const auto& [name, same] : {std::pair("equalto", "eq"), {"greaterthan", "gt"}, {"lessthan", "lt"}})
      all[name] = all.at(same);
    // Operators are names of tests, too: select("==", x).
    for (const auto& [name, same] :
         {std::pair("==", "eq"), {"!=", "ne"}, {"<", "lt"}, {"<=", "le"}, {">", "gt"}, {">=", "ge"}})
      all[name] = all.at(same);
    return all;
  }();
  return tests;
}

}  // namespace

bool has_test(const std::string& name) { return table().contains(name); }

std::vector<std::string> test_names() {
  std::vector<std::string> names;
  for (const auto& [name, test] : table()) names.push_back(name);
  return names;
}

bool apply_test(const std::string& name, const Value& value, const Arguments& arguments) {
  const auto found = table().find(name);
  if (found == table().end()) throw TemplateError("the test '" + name + "' is not supported");
  return found->second(value, arguments);
}

}  // namespace compeer::language::jinja
