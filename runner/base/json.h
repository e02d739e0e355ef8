#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace compeer {

/// JSON text as the value that nlohmann::json::parse makes of it, discarded (`is_discarded()`) where that refuses it;
/// several times as fast on what data sets mostly are: objects, lists, texts, whole numbers. What is unusual in the
/// text, and what is wrong with it, the library decides.
nlohmann::json parse_json(std::string_view text);

}  // namespace compeer
