#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

// Texts: values and foreign text in error messages, several errors as one, and the canonical JSON text that is hashed.

namespace compeer::spec {

/// True for well-formed UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool valid_utf8(std::string_view text);

/// Returns text that is safe to print on a terminal: control characters and invalid UTF-8 as \xNN, truncated to `limit`
/// characters and "...".
std::string printable(std::string_view text, size_t limit = 60);

/// Returns a short form of a value for error messages, without secrets: 3, "fast", nan, {"a":1}.
std::string show(const nlohmann::json& value);

/// The same, with the type before strings, lists and tables: the string "fast", the list [1,2], the table {"a":1}, 3.
std::string show_typed(const nlohmann::json& value);

/// Returns the noun for one plugin of a kind, for sentences: "rewards" -> "reward".
std::string singular(const std::string& kind);

/// Collects errors about the settings of a run, to report them all at once.
class Mistakes {
 public:
  /// Adds an error. When the 1000th is added, throws all as `raise` does.
  void add(Error mistake);
  bool empty() const { return mistakes_.empty(); }
  /// Throws all errors as one Error, sorted by file and line, the first 20 in full. Its exit code is 3 (mistake in the
  /// settings) if any error has it, otherwise that of the first. Does nothing if there are no errors.
  void raise();

 private:
  std::vector<Error> mistakes_;
};

/// Returns text of several lines and any length that is safe to print on a terminal, as `printable` does. Newlines and
/// tabs are kept.
std::string printable_lines(std::string_view text);

/// Returns an error message that is safe to print: as `printable_lines` does, with passwords and API keys, which the
/// message may quote, replaced.
std::string error_text(const std::string& text);

/// Returns the shortest text that parses to the same double, formatted as by Python: 1.0, 0.1, 1e-06. `number` must be
/// finite. (nlohmann's text round-trips too, but for one in two thousand numbers it has more digits than necessary.)
std::string number_text(double number);

/// Returns JSON in UTF-8 with sorted keys, without white space, and with numbers as by `number_text`. This is the text
/// that is hashed.
std::string canonical_json(const nlohmann::json& value);

}  // namespace compeer::spec
