// Access to the fields of JSON records, with messages that say what is missing.
#include "corpora/fields.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace compeer::corpora {

namespace {

constexpr int depth = 64;
constexpr std::string_view space = " \t\r\n\v\f";

const json& member(const json& object, const char* key) {
  static const json nothing;
  if (!object.is_object()) throw Refusal("is not a JSON object");
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

// Returns the beginning of a text in quotes, escaped as in JSON and without a cut character.
std::string shown(const std::string& text) {
  constexpr size_t most = 40;
  size_t end = std::min(text.size(), most);
  while (end < text.size() && end > 0 && (text[end] & 0xC0) == 0x80) --end;
  const std::string written = json(text.substr(0, end)).dump();
  return "'" + written.substr(1, written.size() - 2) + "'";
}

std::string quoted(const char* key) { return "'" + std::string(key) + "'"; }

}  // namespace

void check_text(std::string_view bytes, uint64_t offset) {
  const size_t broken = first_broken(bytes), zero = bytes.find('\0');
  if (broken < std::min(zero, bytes.size()))
    throw Refusal("is not UTF-8 at byte " + std::to_string(offset + broken) + " of the file");
  if (zero != bytes.npos) throw Refusal("contains a zero byte, byte " + std::to_string(offset + zero) + " of the file");
}

json parse(std::string_view bytes, uint64_t offset) {
  check_text(bytes, offset);
  if (nests_too_deeply(bytes, depth)) throw Refusal("nests more than " + std::to_string(depth) + " levels");
  if (json value = parse_json(bytes); !value.is_discarded()) return value;
  try {
    return json::parse(bytes);  // throws with the position of the error
  } catch (const json::exception& error) {
    const auto* at = dynamic_cast<const json::parse_error*>(&error);
    const uint64_t byte = at && at->byte > 0 ? at->byte - 1 : 0;
    if (byte >= bytes.size()) throw Refusal("is not JSON: it ends too early, as if cut off");
    throw Refusal("is not JSON at byte " + std::to_string(offset + byte) + " of the file");
  }
}

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(space);
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(space) + 1 - first));
}

std::string lowered(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

const json& list_of(const json& object, const char* key) {
  const json& found = member(object, key);
  if (!found.is_array()) throw Refusal("has no list " + quoted(key));
  return found;
}

const json& object_of(const json& object, const char* key) {
  const json& found = member(object, key);
  if (!found.is_object()) throw Refusal("has no object " + quoted(key));
  return found;
}

const json& part_of(const json& object, const char* key) {
  static const json none = json::object();
  return member(object, key).is_null() ? none : object_of(object, key);
}

std::string text_of(const json& object, const char* key) {
  const json& found = member(object, key);
  if (!found.is_string()) throw Refusal("has no text " + quoted(key));
  return trimmed(found.get_ref<const std::string&>());
}

json label(const json& object, const char* key) {
  const json& found = member(object, key);
  if (found.is_number() || found.is_boolean()) return found;
  const std::string text = found.is_string() ? trimmed(found.get_ref<const std::string&>()) : "";
  return text.empty() ? json() : json(text);
}

std::string id_of(const json& object, const char* key) {
  const json id = label(object, key);
  return id.is_null() ? "" : id.is_string() ? id.get<std::string>() : id.dump();
}

json scale(const json& object, const char* key) {
  const json found = label(object, key);
  if (found.is_number_integer()) return found;
  if (!found.is_string()) return nullptr;
  const auto& text = found.get_ref<const std::string&>();
  const bool digits =
      text.size() < 10 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? json(std::stoi(text)) : json();
}

Role role_of(const json& object, const char* key, const std::vector<std::pair<std::string_view, Role>>& table) {
  const std::string name = text_of(object, key);
  std::string known;
  for (const auto& [one, role] : table) {
    if (one == name) return role;
    known += (known.empty() ? "" : ", ") + std::string(one);
  }
  throw Refusal("has the unknown speaker " + shown(name) + ", not one of " + known);
}

}  // namespace compeer::corpora
