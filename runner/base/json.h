#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

/// JSON parsing. Use the strict functions for untrusted input (model files, configurations, exports, standard input):
/// they throw an Error with the problem and its location. Use parse_json() for files that runs have written and for
/// data sets: it is faster, and does not report why a text is invalid.
namespace compeer {

/// Parses strict JSON: valid UTF-8, no duplicate keys, no zero byte, no text after the value, at most 64 nesting
/// levels. Throws Error (exit code 4: invalid data) otherwise; `where` is the location in its message, a file name or
/// "line 7". `Json` is nlohmann::json or nlohmann::ordered_json.
template <class Json = nlohmann::json>
Json parse_strict_json(std::string_view text, const std::string& where);

/// Default limit for the size of a JSON file in bytes: 64 MiB.
inline constexpr uint64_t longest_json = uint64_t{64} << 20;
/// Parses a file with parse_strict_json(). Also throws Error (exit code 4) for a wrong path, pipes, devices, UTF-16 and
/// files larger than `most` bytes, (exit code 1: a failure of the system) if the disk fails.
template <class Json = nlohmann::json>
Json read_strict_json(const std::filesystem::path& file, uint64_t most = longest_json);

/// Like parse_strict_json() and read_strict_json(), for a JSON object. Also throw Error (exit code 4) for any other
/// value.
template <class Json = nlohmann::json>
Json parse_json_object(std::string_view text, const std::string& where);
template <class Json = nlohmann::json>
Json read_json_object(const std::filesystem::path& file, uint64_t most = longest_json);

/// Maximum nesting depth of JSON from untrusted sources. The library's recursive copy, comparison and printing would
/// overflow the stack of a thread for much deeper values.
inline constexpr int deepest_json = 256;

/// True if brackets outside of strings nest deeper than `deepest` levels. Does not check the JSON in any other way.
bool nests_too_deeply(std::string_view text, int deepest = deepest_json);

/// Returns the same value as nlohmann::json::parse. Invalid or too deeply nested (`deepest_json`) text gives a
/// discarded value (`is_discarded()`). Several times faster than the library on what data sets mostly contain: objects,
/// arrays, strings and integers. Everything else is passed to the library.
nlohmann::json parse_json(std::string_view text);

/// Returns `value` as an integer of type T. Accepts floats that are whole numbers of at most 2^53 in magnitude. Throws
/// nlohmann::json::type_error for other floats (fractions, integers beyond 64 bits), because the library's conversion
/// of them is undefined, and for values that are not numbers.
template <class T, class Json>
T get_integer(const Json& value) {
  constexpr double most = 9007199254740992.0;  // 2^53: a double represents all integers up to it exactly
  if (!value.is_number_float()) return value.template get<T>();
  const auto number = value.template get<double>();
  if (number >= -most && number <= most && number == static_cast<double>(static_cast<int64_t>(number)))
    return static_cast<T>(static_cast<int64_t>(number));
  throw nlohmann::json::type_error::create(302, "type must be a whole number, but is " + value.dump(), &value);
}

}  // namespace compeer
