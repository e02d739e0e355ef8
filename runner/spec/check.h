#pragma once
#include <string>

#include "spec/schema.h"
#include "spec/text.h"

namespace compeer::spec {

/// What is wrong with a value: `what` goes on after the setting's name ("must be ..., not ..."), `help` may be empty.
struct InvalidValue {
  std::string what, help;
};

/// Brings a value into its parameter's own type: 1e3 becomes the integer 1000, 1 the number 1.0,
/// -0.0 becomes 0.0, the name of a plugin the table {plugin = name}. Returns what is wrong, or nothing. Lists are
/// checked item by item, unless they hold tables; what is in tables is not looked at.
std::optional<InvalidValue> normalise(const SettingSchema& parameter, json& value);

}  // namespace compeer::spec
