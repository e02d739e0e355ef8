#pragma once
#include "language/jinja/value.h"

namespace compeer::language::jinja {

/// As Python's str() gives it: what {{ value }} prints.
Text printed(const Value& value);

/// As Python's repr() gives it: how texts print within lists.
Text quoted(const Value& value);

/// As the filter tojson of transformers does: json.dumps(value, ensure_ascii=False, ...).
struct JsonStyle {
  bool ascii = false, sorted = false;
  std::string indent;  ///< one level of it
  bool lines = false;  ///< each item on a line of its own
  std::string between = ", ", after_key = ": ";
};
Text json_text(const Value& value, const JsonStyle& style);

/// A number as Python writes it: 1.0, 1e-05, 1e+16.
std::string number_text(double number);

}  // namespace compeer::language::jinja
