#include "data/print.h"

#include "base/utf8.h"

namespace compeer::data {

using nlohmann::json;

namespace {

// The escape of a character, if it is a usual one; 0: it stands for itself; '?': ask the library.
constexpr char escape(unsigned char c) {
  return c == '"' ? '"' : c == '\\' ? '\\' : c == '\n' ? 'n' : c < 0x20 ? '?' : '\0';
}

// False if the text needs the library; `line` is then as it was.
bool print_plain(const std::string& text, std::string& line) {
  if (first_broken(text) < text.size()) return false;
  const size_t before = line.size();
  line += '"';
  size_t done = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char how = escape(static_cast<unsigned char>(text[i]));
    if (how == '\0') continue;
    if (how == '?') return line.resize(before), false;
    line.append(text, done, i - done);
    line += '\\';
    line += how;
    done = i + 1;
  }
  line.append(text, done);
  line += '"';
  return true;
}

void print_object(const json& object, std::string& line) {
  line += '{';
  for (auto member = object.begin(); member != object.end(); ++member) {
    if (member != object.begin()) line += ',';
    if (!print_plain(member.key(), line)) line += json(member.key()).dump();
    line += ':';
    print(*member, line);
  }
  line += '}';
}

void print_array(const json& array, std::string& line) {
  line += '[';
  for (size_t i = 0; i < array.size(); ++i) {
    if (i > 0) line += ',';
    print(array[i], line);
  }
  line += ']';
}

}  // namespace

void print(const json& value, std::string& line) {
  if (value.is_object()) {
    print_object(value, line);
  } else if (value.is_array()) {
    print_array(value, line);
  } else if (!value.is_string() || !print_plain(value.get_ref<const std::string&>(), line)) {
    line += value.dump();
  }
}

}  // namespace compeer::data
