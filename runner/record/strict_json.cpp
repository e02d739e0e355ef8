#include "record/strict_json.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace compeer::record {

nlohmann::json parse_strict_json(const std::filesystem::path& file, std::string_view text) {
  using nlohmann::json;
  auto refuse = [&](const std::string& what) { throw Error(file.string(), what, "", Exit::data); };
  std::vector<std::set<std::string>> keys;  // of every object that is open
  auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > 64) refuse("has JSON nested too deep");
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      refuse(fmt::format("has the key '{}' twice", parsed.get<std::string>()));
    return true;
  };
  json parsed;
  try {
    parsed = json::parse(text.begin(), text.end(), watch);
  } catch (const json::exception& e) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..." without the bracketed part
    const std::string message = e.what();
    refuse("is not valid JSON: " + message.substr(message.find(']') + 2));
  }
  if (!parsed.is_object()) refuse("is not a JSON object");
  return parsed;
}

}  // namespace compeer::record
