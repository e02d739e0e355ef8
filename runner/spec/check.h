#pragma once
#include <string>

#include "spec/schema.h"
#include "spec/text.h"

namespace compeer::spec {

/// What is wrong with a value: `what` goes on after the setting's name ("must be ..., not ..."), `help` may be empty.
struct Fault {
  std::string what, help;
};

/// Brings a value that is no table into its parameter's own type: 1e3 becomes the integer 1000, 1 the number 1.0,
/// -0.0 becomes 0.0. Returns what is wrong, or nothing. Lists are checked item by item, unless they hold tables.
std::optional<Fault> normalise(const Parameter& parameter, json& value);

}  // namespace compeer::spec
