#pragma once
#include <string>

#include "spec/schema.h"
#include "spec/text.h"

namespace compeer::spec {

/// Why a value is not valid. `what` continues a message that begins with the setting's name: "must be ..., not ...".
/// `help` is the remedy and may be empty.
struct InvalidValue {
  std::string what, help;
};

/// Checks a value and converts it to the type of its parameter: 1e3 becomes the integer 1000, 1 the number 1.0, -0.0
/// becomes 0.0, a plugin's name the table {plugin = name}. An empty list and an empty table are converted into each
/// other, since Lua's {} is both. Returns the fault of an invalid value, which is then unspecified. Checks the items of
/// lists of plain values; contents of tables are not checked.
std::optional<InvalidValue> normalise(const SettingSchema& parameter, json& value);

}  // namespace compeer::spec
