#include "contract/listener.h"

#include "base/json.h"

namespace compeer::contract {

using nlohmann::json;

namespace {

constexpr size_t longest_line = 1 << 20, most_lines = 100'000;

// Throws json's exceptions if it isn't {"check", "method", "input"}.
json place_in(const json& read) {
  for (const char* key : {"check", "method", "input"}) (void)read.at(key).get_ref<const std::string&>();
  return read;
}

json crash_in(const json& read) {
  const char* cause = read.contains("exit") ? "exit" : read.contains("seconds") ? "seconds" : "signal";
  (void)read.at(cause).get_ref<const json::number_unsigned_t&>();
  return place_in(read);
}

}  // namespace

Listener::Listener() : calls{{"check", "loading"}, {"method", ""}, {"input", ""}} {}

void Listener::take(std::string_view text) {
  rest_ += text;
  size_t begin = 0;
  for (size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    line(rest_.substr(begin, end - begin));
    begin = end + 1;
  }
  rest_.erase(0, begin);
  if (rest_.size() <= longest_line) return;
  rest_.clear();
  disturbed = true;
}

void Listener::line(const std::string& text) {
  if (!crash.is_null()) {
    if (stack.size() < most_lines) stack.push_back(text);
    return;
  }
  try {
    understand(parse_json(text));
  } catch (const json::exception&) {
    disturbed = true;
  }
}

void Listener::understand(const json& read) {
  if (read.contains("calls")) {
    calls = place_in(read.at("calls"));
  } else if (read.contains("crash")) {
    crash = crash_in(read.at("crash"));
  } else if (read.contains("ends")) {
    made = read.at("ends").at("made").get<bool>();
  } else if (read.contains("forked")) {
    forked = read.at("forked").get<bool>();
  } else if (read.contains("gives_up")) {
    gave_up = read.at("gives_up").get<std::string>();
  } else if (const Remark finding = read.at("finding"); findings.size() < most_lines) {
    findings.push_back(finding);
  }
}

}  // namespace compeer::contract
