#pragma once
#include "language/jinja/value.h"

namespace compeer::language::jinja {

/// value.name: a method, or a member of a dictionary or namespace; undefined if there is none.
Value attribute(const Value& value, const std::string& name);

/// value[key]
Value member(const Value& value, const Value& key);

/// value[begin:end:step]; an absent part is none.
Value slice(const Value& value, const Value& begin, const Value& end, const Value& step);

/// a + b and the like: + - * / // % **
Value arithmetic(const std::string& sign, const Value& a, const Value& b);

/// Whether `part` is in a text, a list or the keys of a dictionary.
bool contains(const Value& whole, const Value& part);

/// A text several times.
Value repeated(const Text& text, int64_t times);

/// The members of a dictionary, each as a tuple of key and value.
Value pairs_of(const Dict& dict);

/// Whether a text has letters, and `change` changes none of them.
bool is_in_case(const Text& text, Text (*change)(const Text&));

/// A method of a text; undefined if there is none of that name.
Value text_method(const Value& text, const std::string& name);

}  // namespace compeer::language::jinja
