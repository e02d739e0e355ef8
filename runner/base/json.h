#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace compeer {

/// Values nested deeper are refused wherever JSON comes from outside: copying, comparing and printing them would take
/// the library more stack than a thread has.
inline constexpr int deepest_json = 256;

/// Whether brackets outside of texts nest deeper than that. Looks at no more of the JSON than that.
bool nests_too_deeply(std::string_view text, int deepest = deepest_json);

/// JSON text as the value that nlohmann::json::parse makes of it, discarded (`is_discarded()`) where that refuses it,
/// or it nests too deeply; several times as fast on what data sets mostly are: objects, lists, texts, whole numbers.
/// What is unusual in the text, and what is wrong with it, the library decides.
nlohmann::json parse_json(std::string_view text);

}  // namespace compeer
