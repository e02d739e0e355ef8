#pragma once
#include <string>

namespace compeer::spec {

/// Checks TOML text before it is given to the parser, toml++ 3.3. `name`: the file's name in messages. Throws Error
/// (exit code 3: mistake in a spec) at "name:line" for text on which the parser misbehaves: it overflows the stack on
/// dotted keys of many parts, aborts on some texts with NUL bytes, and mishandles non-ASCII letters that are outside of
/// strings and comments or follow a line-ending backslash. Also throws for invalid UTF-8 and text of more than 1 MiB.
void guard_toml(const std::string& text, const std::string& name);

/// Maximum number of parts of a dotted key, and maximum nesting of values.
constexpr size_t deepest_toml = 64;

}  // namespace compeer::spec
