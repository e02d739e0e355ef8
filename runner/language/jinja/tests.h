#pragma once
#include <string>
#include <vector>

#include "language/jinja/value.h"

namespace compeer::language::jinja {

/// Jinja's tests: what may stand behind "is". Trouble says what is wrong.
bool apply_test(const std::string& name, const Value& value, const Arguments& arguments);

bool has_test(const std::string& name);
std::vector<std::string> test_names();

}  // namespace compeer::language::jinja
