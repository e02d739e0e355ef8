#pragma once
#include "language/jinja/value.h"

namespace compeer::language::jinja {

// Operators and members of template values, with Python's semantics. All throw TemplateError for operands that don't
// support them.

/// Returns value.name: a method, or a member of a dictionary or namespace; undefined if there is none.
Value attribute(const Value& value, const std::string& name);

/// Returns value[key] of a list, text or dictionary; undefined if there is none.
Value get_item(const Value& value, const Value& key);

/// Returns value[begin:end:step] of a text or list; the value none represents an absent part.
Value slice(const Value& value, const Value& begin, const Value& end, const Value& step);

/// Returns `a sign b` for + - * / // % **.
Value arithmetic(const std::string& sign, const Value& a, const Value& b);

/// True if `part` is in `whole`, a text, a list or the keys of a dictionary: the operator "in".
bool contains(const Value& whole, const Value& part);

/// Returns the text repeated `times` times: the operator *.
Value repeated(const Text& text, int64_t times);

/// Returns the members of a dictionary as a list of tuples (key, value).
Value pairs_of(const Dict& dict);

/// True if a text has cased letters and `change` (upper or lower) changes none of them.
bool is_in_case(const Text& text, Text (*change)(const Text&));

/// Returns the method `name` of a text, such as upper, as a value that can be called; undefined if there is none with
/// that name.
Value text_method(const Value& text, const std::string& name);

}  // namespace compeer::language::jinja
