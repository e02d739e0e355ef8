#pragma once
#include <string>
#include <vector>

#include "language/jinja/value.h"

namespace compeer::language::jinja {

/// Applies a filter of chat templates, as in `value | name(arguments)`: one of Jinja's, or tojson of transformers.
/// Filters such as map
/// and select return lists, not generators. Throws TemplateError for unknown names and unsuitable arguments.
Value apply_filter(const std::string& name, const Value& value, const Arguments& arguments);

/// True if a filter with this name is supported.
bool has_filter(const std::string& name);
/// Returns the names of all supported filters.
std::vector<std::string> filter_names();

}  // namespace compeer::language::jinja
