#pragma once
#include <string>

#include "spec/schema.h"

namespace compeer::app {

/// Prints two lines a setting: name, values and default; then its meaning. Settings of a table follow, further indented.
void print_settings(const spec::Schema& schema, const std::string& indent);

}  // namespace compeer::app
