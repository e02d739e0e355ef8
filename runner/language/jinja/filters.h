#pragma once
#include <string>
#include <vector>

#include "language/jinja/value.h"

namespace compeer::language::jinja {

/// Applies one of Jinja's filters, as far as chat templates use them, or tojson of transformers. Filters such as map
/// and select return lists, not generators. Throws TemplateError for unknown names and unsuitable arguments.
Value apply_filter(const std::string& name, const Value& value, const Arguments& arguments);

bool has_filter(const std::string& name);  ///< true if `apply_filter` supports it
std::vector<std::string> filter_names();

}  // namespace compeer::language::jinja
