#include "tools/annotate/lines.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/utf8.h"

namespace compeer::annotate {

namespace {

constexpr size_t kListed = 20;
constexpr uint64_t kLargest = uint64_t{16} << 30;  // bytes of a file, which is read whole

}  // namespace

std::vector<BadLine> read_lines(const std::filesystem::path& file,
                                const std::function<void(nlohmann::json&& object, size_t line)>& take) {
  const std::string bytes = read_file(file, kLargest), where = file.string();
  refuse_utf16(bytes, where);
  std::vector<BadLine> bad;
  std::string_view rest = bytes;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // what some editors put in front of UTF-8
  for (size_t number = 1; !rest.empty(); ++number) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    try {
      take(parse_json_object(line, where), number);
    } catch (const Error& error) {
      bad.push_back({number, error.problem()});
    }
  }
  return bad;
}

std::string listed(const std::filesystem::path& file, const std::vector<BadLine>& bad) {
  std::string text;
  for (size_t i = 0; i < bad.size() && i < kListed; ++i)
    text += fmt::format("{}{}:{}: {}", i ? "\n" : "", file.string(), bad[i].line, bad[i].reason);
  if (bad.size() > kListed) text += fmt::format("\nand {} more", bad.size() - kListed);
  return text;
}

void refuse_bad_lines(const std::filesystem::path& file, const std::vector<BadLine>& bad) {
  if (bad.empty()) return;
  const std::string lines = bad.size() == 1 ? "a line" : fmt::format("{} lines", bad.size());
  throw Error(file.string(), fmt::format("has {} that can't be used:\n{}", lines, listed(file, bad)), "", Exit::data);
}

std::string json_line(const nlohmann::json& object) {
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace compeer::annotate
