#pragma once
#include <string>

#include "spec/schema.h"

namespace compeer::app {

/// Prints each setting of `schema` in two lines on standard output: name, type, range and default; then its help text.
/// The settings of a table follow the table, indented further. `indent`: spaces at the beginning of each line. Used by
/// `compeer settings` and `compeer plugins inspect`.
void print_settings(const spec::Schema& schema, const std::string& indent);

}  // namespace compeer::app
