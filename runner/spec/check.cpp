// Validates values of settings against their schema and converts them to one representation each, so that equal values
// have equal hashes.
#include "spec/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace compeer::spec {

namespace {

constexpr double exact_integers = 9007199254740992.0;  // 2^53: larger doubles don't represent every integer

InvalidValue invalid_value(const SettingSchema& parameter, const json& value, std::string help = "") {
  return {fmt::format("must be {}, not {}", describe(parameter), show_typed(value)), std::move(help)};
}

bool in_range(const SettingSchema& parameter, double value) {
  if (parameter.min && (parameter.above_min ? value <= *parameter.min : value < *parameter.min)) return false;
  return !parameter.max || (parameter.below_max ? value < *parameter.max : value <= *parameter.max);
}

std::optional<InvalidValue> integer(const SettingSchema& parameter, json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (!(std::abs(number) <= exact_integers) || number != std::floor(number)) return invalid_value(parameter, value);
    value = static_cast<int64_t>(number);
  }
  if (!value.is_number_integer()) return invalid_value(parameter, value);
  if (value.is_number_unsigned()) {
    if (value.get<uint64_t>() > INT64_MAX) return invalid_value(parameter, value);
    value = value.get<int64_t>();  // signed, as all integers of a spec
  }
  if (!in_range(parameter, static_cast<double>(value.get<int64_t>()))) return invalid_value(parameter, value);
  return {};
}

std::optional<InvalidValue> number(const SettingSchema& parameter, json& value) {
  if (!value.is_number()) return invalid_value(parameter, value);
  const double number = value.get<double>();
  if (!std::isfinite(number)) return invalid_value(parameter, value, "a number must be finite");
  if (!in_range(parameter, number)) return invalid_value(parameter, value);
  value = number == 0.0 ? 0.0 : number;  // -0.0 equals 0.0, but prints as another text and so changes the hash
  return {};
}

std::optional<InvalidValue> text(const SettingSchema& parameter, const json& value) {
  if (parameter.type == Type::path && value.is_object())
    return invalid_value(parameter, value, "the output of a run is { run = \"NAME\" }, without other keys");
  if (!value.is_string()) {
    return invalid_value(
        parameter, value,
        value.is_number() || value.is_boolean() ? fmt::format("write it in quotes: \"{}\"", show(value)) : "");
  }
  const auto& characters = value.get_ref<const std::string&>();
  if (!valid_utf8(characters)) return InvalidValue{fmt::format("is not valid UTF-8: {}", show(value)), ""};
  if (characters.find('\0') != std::string::npos)
    return InvalidValue{fmt::format("contains a NUL byte: {}", show(value)), ""};
  if (parameter.type == Type::path && characters.empty())
    return InvalidValue{"must be a path, not an empty string", ""};
  const auto& choices = parameter.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), characters) == choices.end()) {
    const auto near = nearest(characters, choices);
    return invalid_value(parameter, value, near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }
  return {};
}

std::optional<InvalidValue> list(const SettingSchema& parameter, json& value) {
  if (value.is_object() && value.empty()) value = json::array();  // Lua's {} is an empty list or an empty table
  if (!value.is_array() || !in_range(parameter, static_cast<double>(value.size()))) {
    const bool tables = parameter.items == Type::table;
    return invalid_value(
        parameter, value,
        tables ? (value.is_object() ? fmt::format("write [[{}]]", parameter.name) : "")
               : (value.is_primitive() && !value.is_null() ? fmt::format("write [{}]", value.dump()) : ""));
  }
  if (parameter.items == Type::table) return {};
  SettingSchema item;
  item.type = parameter.items;
  item.choices = parameter.choices;
  for (size_t i = 0; i < value.size(); ++i) {
    if (auto wrong = normalise(item, value[i])) {
      return InvalidValue{fmt::format("item {}: {}", i + 1, wrong->what), wrong->help};
    }
  }
  return {};
}

}  // namespace

std::optional<InvalidValue> normalise(const SettingSchema& parameter, json& value) {
  switch (parameter.type) {
    case Type::integer:
      return integer(parameter, value);
    case Type::number:
      return number(parameter, value);
    case Type::boolean:
      return value.is_boolean() ? std::nullopt : std::optional(invalid_value(parameter, value));
    case Type::string:
    case Type::path:
      return text(parameter, value);
    case Type::list:
      return list(parameter, value);
    case Type::plugin:
      if (!value.is_string()) break;
      if (auto wrong = text(parameter, value)) return wrong;
      value = {{"plugin", value}};
      return {};
    case Type::table:
      break;
  }
  if (value.is_array() && value.empty()) value = json::object();
  if (value.is_object()) return {};
  const bool brackets = value.is_array() && parameter.type == Type::table;
  return invalid_value(parameter, value, brackets ? fmt::format("write [{}], in single brackets", parameter.name) : "");
}

}  // namespace compeer::spec
