#pragma once
#include "language/jinja/value.h"

// Converts template values to text as Python does.

namespace compeer::language::jinja {

/// Returns Python's str(value), the output of {{ value }}. Throws TemplateError for values that can't be printed.
Text printed(const Value& value);

/// Returns Python's repr(value): texts are quoted, as within a printed list.
Text quoted(const Value& value);

/// Arguments of Python's json.dumps; defaults as in the filter tojson of transformers.
struct JsonStyle {
  bool ascii = false, sorted = false;            ///< ensure_ascii: escape other characters; sort_keys
  std::string indent;                            ///< text of one level of indentation, if `lines`
  bool lines = false;                            ///< each item on a line of its own
  std::string between = ", ", after_key = ": ";  ///< separators of items, and of key and value
};
/// Returns Python's json.dumps(value, ...). Throws TemplateError for values that JSON can't represent.
Text json_text(const Value& value, const JsonStyle& style);

/// Returns Python's repr of a float: 1.0, 1e-05, 1e+16.
std::string number_text(double number);

}  // namespace compeer::language::jinja
