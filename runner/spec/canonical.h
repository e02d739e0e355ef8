#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::spec {

/// A finite number as the shortest text that reads back to the same double, written as Python writes it: 1.0, 0.1,
/// 1e-06. (nlohmann's own text reads back too, but one in two thousand numbers gets more digits than it needs.)
std::string number_text(double number);

/// JSON with sorted keys and without white space, in UTF-8; the text that is hashed.
std::string canonical_json(const nlohmann::json& value);

}  // namespace compeer::spec
