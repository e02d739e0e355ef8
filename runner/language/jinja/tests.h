#pragma once
#include <string>
#include <vector>

#include "language/jinja/value.h"

namespace compeer::language::jinja {

/// Applies a test of chat templates, as in `value is name(arguments)`. Throws TemplateError for unknown names and
/// unsuitable arguments.
bool apply_test(const std::string& name, const Value& value, const Arguments& arguments);

/// True if a test with this name is supported.
bool has_test(const std::string& name);
/// Returns the names of all supported tests.
std::vector<std::string> test_names();

}  // namespace compeer::language::jinja
