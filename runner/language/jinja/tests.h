#pragma once
#include <string>
#include <vector>

#include "language/jinja/value.h"

namespace compeer::language::jinja {

/// Applies one of Jinja's tests, as in `value is name(arguments)`. Throws TemplateError for unknown names and
/// unsuitable arguments.
bool apply_test(const std::string& name, const Value& value, const Arguments& arguments);

bool has_test(const std::string& name);  ///< true if `apply_test` supports it
std::vector<std::string> test_names();

}  // namespace compeer::language::jinja
