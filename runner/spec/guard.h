#pragma once
#include <string>

namespace compeer::spec {

/// Throws Error (exit 3, at file:line) for text that the TOML parser must not see: toml++ 3.3 overflows the stack on a
/// dotted key of many parts, aborts on some texts with NUL bytes, and goes astray at letters beyond ASCII outside of
/// strings and comments, and behind a line-ending backslash. Also refuses invalid UTF-8 and more than 1 MiB.
void guard_toml(const std::string& text, const std::string& name);

/// Values and keys may be nested this deep.
constexpr size_t deepest_toml = 64;

}  // namespace compeer::spec
