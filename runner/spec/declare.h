#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/schema.h"

// Declares a table of settings as a C++ struct: each setting is a member with its default value, and one line of the
// function fields(), which gives its name, range and help text. From fields() follow the schema against which settings
// are checked (`schema_of`) and the reader that fills the struct (`read_table`).

namespace compeer::spec {

/// A setting and the member of a struct that holds its value:
///
///   SettingFields fields(GrpoTable& t) {
///     return {setting("batch", t.batch, "prompts of a step, over all ranks").from(1), ...};
///   }
///
/// The type of the setting follows from the member; the default is the member's initial value.
struct SettingField : SettingSchema {
  std::function<void(const json& value)> store;  ///< assigns a value, checked and not null, to the member

  // These add limits to a number or to the length of a list, or the allowed strings (`of`), and return this object, to
  // be chained. `from` and `to` include the limit, `above` and `below` exclude it.
  SettingField& from(double least) { return min = least, *this; }
  SettingField& to(double most) { return max = most, *this; }
  SettingField& above(double least) { return min = least, above_min = true, *this; }
  SettingField& below(double most) { return max = most, below_max = true, *this; }
  SettingField& of(std::vector<std::string> all) { return choices = std::move(all), *this; }
  /// Makes the setting unset (null) by default. An unset setting leaves the member's value unchanged.
  SettingField& unset() { return default_value = json(nullptr), *this; }
};
/// All settings of a struct, in the order in which they are printed. They refer to the struct.
using SettingFields = std::vector<SettingField>;

/// The type of a setting, in the constant `type`, by the C++ type T of its member.
template <class T>
struct MemberType;
template <>
struct MemberType<int64_t> {
  static constexpr Type type = Type::integer;
};
template <>
struct MemberType<double> {
  static constexpr Type type = Type::number;
};
template <>
struct MemberType<bool> {
  static constexpr Type type = Type::boolean;
};
template <>
struct MemberType<std::string> {
  static constexpr Type type = Type::string;
};
template <>
struct MemberType<std::vector<std::string>> {
  static constexpr Type type = Type::list;
};

/// Declares the setting `name` with the value of `member` as its default. The result refers to `member`. `help` is one
/// line for users.
template <class T>
SettingField setting(const std::string& name, T& member, const std::string& help) {
  SettingField field;
  field.name = name, field.help = help, field.type = MemberType<T>::type, field.default_value = json(member);
  field.store = [&member](const json& value) { member = value.get<T>(); };
  return field;
}

/// The same for a setting that is unset by default.
template <class T>
SettingField setting(const std::string& name, std::optional<T>& member, const std::string& help) {
  SettingField field;
  field.name = name, field.help = help, field.type = MemberType<T>::type, field.default_value = json(nullptr);
  field.store = [&member](const json& value) { member = value.get<T>(); };
  return field;
}

/// Declares a setting with a string as its value: one of the names in `values`, pairs of a name and a value. The member
/// gets the value that is paired with the name. The default is the name of the member's initial value.
template <class T>
SettingField choice(const std::string& name, T& member, std::vector<std::pair<std::string, T>> values,
                    const std::string& help) {
  SettingField field;
  field.name = name, field.help = help, field.type = Type::string;
  for (const auto& [word, value] : values) {
    field.choices.push_back(word);
    if (value == member) field.default_value = word;
  }
  field.store = [&member, values = std::move(values)](const json& chosen) {
    for (const auto& [word, value] : values) {
      if (chosen == word) member = value;
    }
  };
  return field;
}

/// Returns the schema (the declarations of all settings) of a table that is declared as a struct with fields().
template <class Table>
Schema schema_of() {
  Table table;
  const SettingFields all = fields(table);
  return {all.begin(), all.end()};
}

/// Reads `values`, a table of a resolved spec (checked, with defaults filled in), into its struct. Members keep their
/// defaults if their keys are missing or null.
template <class Table>
Table read_table(const json& values) {
  Table table;
  for (const SettingField& field : fields(table)) {
    const auto found = values.find(field.name);
    if (found != values.end() && !found->is_null()) field.store(*found);
  }
  return table;
}

}  // namespace compeer::spec
