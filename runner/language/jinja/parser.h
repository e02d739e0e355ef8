#pragma once
#include <string_view>

#include "language/jinja/syntax.h"

namespace compeer::language::jinja {

/// A template as a tree. Throws Error (exit 4) naming `where`, the line and what is wrong or not supported: statements,
/// filters and tests that we do not have are refused here, not when they are first reached.
Block parse(std::string_view source, const std::string& where);

}  // namespace compeer::language::jinja
