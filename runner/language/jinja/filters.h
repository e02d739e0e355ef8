#pragma once
#include <string>
#include <vector>

#include "language/jinja/value.h"

namespace compeer::language::jinja {

/// Jinja's filters, those that chat templates use, and tojson as transformers has it. map, select and their kin give
/// lists. Trouble says what is wrong.
Value apply_filter(const std::string& name, const Value& value, const Arguments& arguments);

bool has_filter(const std::string& name);
std::vector<std::string> filter_names();

}  // namespace compeer::language::jinja
