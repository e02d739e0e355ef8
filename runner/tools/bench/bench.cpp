// Compares measurements with a stored baseline, to detect losses of speed.
#include "tools/bench/bench.h"

#include <fmt/format.h>

#include <regex>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace compeer::bench {

namespace {

using nlohmann::json;

constexpr double tolerance = 0.08;

bool is_rate(const std::string& unit) { return unit.ends_with("/s"); }

double best(const json& line) { return line.at(is_rate(line.at("unit").get<std::string>()) ? "max" : "min"); }

// Returns the key of a measurement: all its names and sizes, and the kind of processor.
std::string key(const json& line) {
  json all = json::object();
  for (const auto& [name, value] : line.items()) {
    const bool result = name == "min" || name == "median" || name == "max" || name == "n" || name == "note";
    if (!result && !value.is_number_float()) all[name] = value;
  }
  all["machine"] = line.at("machine").at("processor");
  return all.dump();
}

}  // namespace

std::string processor_kind(bool avx512, bool bfloat16, const std::string& cpuinfo) {
  const auto value = [&](const char* name) {  // first match: the first processor
    std::smatch match;
    std::regex_search(cpuinfo, match, std::regex(fmt::format("(?:^|\n){}\t*: (.*)", name)));
    return match.empty() ? "?" : match[1].str();
  };
  return fmt::format("{} {}/{}, {}", value("vendor_id"), value("cpu family"), value("model"),
                     bfloat16 ? "AVX512_BF16"
                     : avx512 ? "AVX-512"
                              : "AVX2");
}

BenchBaseline::BenchBaseline(const std::filesystem::path& file) {
  std::istringstream lines(read_file(file));
  size_t number = 0;
  for (std::string text; std::getline(lines, text);) {
    ++number;
    try {
      const json line = parse_json(text);
      best_[key(line)] = best(line);
    } catch (const json::exception&) {
      throw Error(fmt::format("{}:{}", file.string(), number), "is not a measurement",
                  "keep only lines that compeer bench --json prints", Exit::data);
    }
  }
}

std::string BenchBaseline::compare(const json& line) const {
  const auto found = best_.find(key(line));
  if (found == best_.end() || found->second == 0) return "no baseline";
  const double ratio = best(line) / found->second;
  const double worse = is_rate(line.at("unit").get<std::string>()) ? 1 / ratio : ratio;
  const char* flag = worse > 1 + tolerance ? ": WORSE" : worse < 1 / (1 + tolerance) ? ": better" : "";
  return fmt::format("{:.2f} of baseline{}", ratio, flag);
}

}  // namespace compeer::bench
