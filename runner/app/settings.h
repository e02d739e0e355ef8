#pragma once
#include <string>

#include "spec/schema.h"

namespace compeer::app {

/// Prints each setting in two lines: name, values and default; then its help text. The settings of a table follow it,
/// indented further.
void print_settings(const spec::Schema& schema, const std::string& indent);

}  // namespace compeer::app
