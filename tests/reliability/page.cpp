// Makes docs/lab/reliability.md of what the batteries found: the same figures give the same bytes.   usage: page FOLDER
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"

namespace compeer::test {
namespace {

using nlohmann::ordered_json;
using Path = std::filesystem::path;

constexpr const char* introduction = R"(# Laboratory notes: reliability

`tests/reliability/battery.sh --publish` makes this page from the figures of each battery's last run. It says what is
promised, how it is tested, and the result. [Reliability](../RELIABILITY.md) is the summary;
`tests/reliability/README.md` says what each battery does in detail.
)";

struct Battery {
  const char* name;
  const char* title;
};
constexpr Battery batteries[] = {{"kills", "kill -9"},
                                 {"power", "Power failures"},
                                 {"damage", "Torn and flipped bytes"},
                                 {"disk", "Full and failing disks"},
                                 {"reads", "Failing reads"},
                                 {"nonfinite", "NaN and infinity"},
                                 {"signals", "Signals"},
                                 {"clock", "Jumps of the clock"},
                                 {"endpoint", "A judge behind an endpoint"},
                                 {"ranks", "Ranks that fail"},
                                 {"network", "The network between hosts"},
                                 {"soak", "Long runs"}};

// A cell of a table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// A paragraph in lines that fit the editor, those after the first behind an indent.
std::string filled(const std::string& paragraph, const std::string& indent = "") {
  std::string text, word;
  size_t length = 0;
  std::istringstream words(paragraph);
  while (words >> word) {
    const bool fits = length + 1 + word.size() <= 120;
    if (length > 0) text += fits ? " " : "\n" + indent;
    length = (length == 0 ? 0 : fits ? length + 1 : indent.size()) + word.size();
    text += word;
  }
  return text;
}

std::string verdict(const ordered_json& battery) {
  if (const std::string why = battery.at("skipped"); !why.empty()) return "skipped: " + why;
  const int wrong = battery.at("wrong");
  return wrong == 0 ? "holds" : fmt::format("**{} times not so**", wrong);
}

// How many tries stand behind a verdict.
std::string tries(const ordered_json& battery) {
  const auto tried = battery.at("tries").get<uint64_t>(), full = battery.at("full").get<uint64_t>();
  const std::string unit = battery.at("unit");
  if (!battery.at("skipped").get<std::string>().empty()) return "none";
  return tried < full ? fmt::format("**smaller than full size**: {} of {} {}", tried, full, unit)
                      : fmt::format("{} {}", tried, unit);
}

std::string section(const Battery& kind, const ordered_json& battery) {
  std::string text =
      fmt::format("\n## {}\n\n{}\n\n{}\n\n", kind.title, filled(battery.at("promise").get<std::string>()),
                  filled("*How it is tried.* " + battery.at("how").get<std::string>()));
  for (const auto& figure : battery.at("figures")) {
    const std::string name = figure.at(0), value = figure.at(1);
    text += filled(fmt::format("- *{}*: {}", name, value), "  ") + "\n";
  }
  text += fmt::format("\n{}, commit {}, seed {}, {} s, {}: {}.\n", battery.at("date").get<std::string>(),
                      battery.at("commit").get<std::string>(), battery.at("seed").get<int>(),
                      battery.at("seconds").get<int>(), tries(battery), verdict(battery));
  return text;
}

std::string page(const Path& folder) {
  std::string table = "\n| battery | last run | tries | result |\n|---|---|---|---|\n", sections;
  for (const auto& kind : batteries) {
    const Path file = folder / (std::string(kind.name) + ".json");
    if (!std::filesystem::exists(file)) continue;
    const auto battery = ordered_json::parse(read_file(file));
    table += fmt::format("| {} | {} | {} | {} |\n", kind.title, battery.at("date").get<std::string>(), tries(battery),
                         cell(verdict(battery)));
    sections += section(kind, battery);
  }
  return introduction + table + sections;
}

}  // namespace
}  // namespace compeer::test

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  std::fputs(compeer::test::page(argv[1]).c_str(), stdout);
} catch (const std::exception& error) {
  fmt::print(stderr, "reliability_page: {}\n", error.what());
  return 1;
}
