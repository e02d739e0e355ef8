#include "app/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>

#include "app/commands.h"
#include "base/error.h"

namespace compeer::app {

namespace {

using nlohmann::json;

const std::map<std::string, std::vector<json> (*)()> kBenches{{"record", bench_record}, {"start", bench_start}};

struct Options {
  std::vector<std::string> names;
  bool json = false;
};

json machine() {
  const auto processor = this_processor();
  return {{"cores", processor.cores},
          {"memory_bytes", processor.memory},
          {"avx512", processor.avx512},
          {"version", COMPEER_VERSION}};
}

void print(const json& line) {
  std::cout << fmt::format("{:<8} {:<44} {:>10.4g} {:>10.4g} {:>10.4g}  {}\n", line.at("bench").get<std::string>(),
                           line.at("what").get<std::string>(), line.at("min").get<double>(),
                           line.at("median").get<double>(), line.at("max").get<double>(),
                           line.at("unit").get<std::string>());
}

int run(const Options& options) {
  std::vector<std::string> known;
  for (const auto& [name, bench] : kBenches) known.push_back(name);
  const auto names = options.names.empty() ? known : options.names;
  for (const auto& name : names) {
    if (!kBenches.contains(name)) throw Error("", "no benchmark '" + name + "'", suggest(name, known), Exit::usage);
  }
  if (!options.json)
    std::cout << fmt::format("{:<8} {:<44} {:>10} {:>10} {:>10}\n", "bench", "what", "min", "median", "max");
  for (const auto& name : names) {
    for (json line : kBenches.at(name)()) {
      if (!options.json) {
        print(line);
        continue;
      }
      line["machine"] = machine();
      std::cout << line.dump() << std::endl;
    }
  }
  return 0;
}

}  // namespace

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back(), values.size()};
}

std::vector<double> timed(size_t times, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (size_t i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return seconds;
}

json measurement(const std::string& bench, const std::string& what, const std::string& unit, const Spread& spread) {
  return {{"bench", bench},          {"what", what},      {"unit", unit}, {"min", spread.min},
          {"median", spread.median}, {"max", spread.max}, {"n", spread.n}};
}

void add_bench(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("bench", "Measure this build on this machine");
  command->add_option("name", options->names, "start (programs), record (cost of logging); all if none is named");
  command->add_flag("--json", options->json, "a JSON object a line, with the machine");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace compeer::app
