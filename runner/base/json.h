#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

/// How JSON is read in all rooms. What strangers may have made (files of models, configurations, annotations, standard
/// input) is read strictly, with an Error that says what is wrong and where. What runs have written, and data sets, is
/// read by `parse_json`, which is fast and tells no more than that it is none.
namespace compeer {

/// A JSON value from strict JSON: nothing behind it, valid UTF-8, no key twice in an object, no zero byte, at most 64
/// levels. Throws Error (exit 4) with `where`, a file or "line 7", for all else. For nlohmann::json and ordered_json.
template <class Json = nlohmann::json>
Json parse_strict_json(std::string_view text, const std::string& where);

/// The same of the whole of a file. Pipes, devices and more than `most` bytes are refused, too.
inline constexpr uint64_t longest_json = uint64_t{64} << 20;
template <class Json = nlohmann::json>
Json read_strict_json(const std::filesystem::path& file, uint64_t most = longest_json);

/// The same where it must be an object.
template <class Json = nlohmann::json>
Json parse_json_object(std::string_view text, const std::string& where);
template <class Json = nlohmann::json>
Json read_json_object(const std::filesystem::path& file, uint64_t most = longest_json);

/// Values nested deeper are refused wherever JSON comes from outside: copying, comparing and printing them would take
/// the library more stack than a thread has.
inline constexpr int deepest_json = 256;

/// Whether brackets outside of texts nest deeper than that. Looks at no more of the JSON than that.
bool nests_too_deeply(std::string_view text, int deepest = deepest_json);

/// JSON text as the value that nlohmann::json::parse makes of it, discarded (`is_discarded()`) where that refuses it,
/// or it nests too deeply; several times as fast on what data sets mostly are: objects, lists, texts, whole numbers.
/// What is unusual in the text, and what is wrong with it, the library decides.
nlohmann::json parse_json(std::string_view text);

/// `value` as a whole number. What the library makes of a fraction, or of a number beyond 64 bits, is undefined: here
/// both are refused as a text would be (nlohmann::json::type_error).
template <class T, class Json>
T whole(const Json& value) {
  constexpr double most = 9007199254740992.0;  // 2^53: whole numbers up to it are themselves as fractions
  if (!value.is_number_float()) return value.template get<T>();
  const auto number = value.template get<double>();
  if (number >= -most && number <= most && number == static_cast<double>(static_cast<int64_t>(number)))
    return static_cast<T>(static_cast<int64_t>(number));
  throw nlohmann::json::type_error::create(302, "type must be a whole number, but is " + value.dump(), &value);
}

}  // namespace compeer
