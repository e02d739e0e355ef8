#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::data {

/// Appends what `value.dump()` gives, byte for byte, in a fraction of the time where texts are ASCII: records are
/// mostly text, and are printed once in every stage. Throws as it does: a text that is no UTF-8.
void print(const nlohmann::json& value, std::string& line);

}  // namespace compeer::data
