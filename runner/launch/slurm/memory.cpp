#include "launch/slurm/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/error.h"
#include "launch/worker_program.h"
#include "launch/worker_question.h"
#include "spec/canonical.h"
#include "spec/computes.h"
#include "spec/text.h"

namespace compeer::launch {

using nlohmann::json;

namespace {

constexpr double beyond = 1.25;     // of the estimate: messages between ranks, what rewards take while they work
constexpr double cuda = 4096;       // MiB of a rank's libraries and context of CUDA; a guess on the safe side
constexpr double patience = 180;    // seconds
constexpr int64_t rounded_to = 16;  // MiB

// What size depends on: a learning rate matters only as far as it is 0 or not.
json size_of(const json& value) {
  if (value.is_number_float()) return value.get<double>() != 0;
  if (!value.is_structured()) return value;
  json sizes = value;
  for (auto& inner : sizes) inner = size_of(inner);
  return sizes;
}

std::string kind_of(const spec::Spec& spec) {
  auto values = spec.values;
  for (const char* key : {"name", "seed", "inputs"}) values.erase(key);
  return spec::canonical_json(size_of(values));
}

// In MiB; 0 with the reason if it can't be told.
double estimated(const spec::Spec& spec, std::string& why_unknown) {
  const auto done = ask_worker("estimate_memory", spec.file_text(),
                               training_environment(spec.values.at("threads").get<int64_t>()), patience);
  std::istringstream lines(done.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("compeer: error: ")) why_unknown = line.substr(16);
  }
  const auto said = last_line(done.text, "mib");
  double mib = said.is_object() && said["mib"].is_number() ? said["mib"].get<double>() : 0;
  if (done.exit != 0 || mib <= 0) mib = 0;
  if (mib == 0 && why_unknown.empty()) why_unknown = fmt::format("the worker ended with exit code {}", done.exit);
  return mib;
}

}  // namespace

int64_t mib_per_cpu(double rank_mib, int64_t threads) {
  const double each = beyond * rank_mib / static_cast<double>(threads);
  return static_cast<int64_t>(std::ceil(each / rounded_to)) * rounded_to;
}

MemoryNeed memory_need(const std::vector<spec::Spec>& specs) {
  MemoryNeed need;
  if (specs.empty()) need.why_unknown = "what the script runs is not known yet";
  std::set<std::string> asked;
  for (const auto& spec : specs) {
    if (!asked.insert(kind_of(spec)).second) continue;
    std::string why;
    double mib = estimated(spec, why);
    if (mib > 0 && spec::computes(spec.values).device != "cpu") mib += cuda;
    if (mib == 0)
      return {0, fmt::format("{}: {}", spec.values.at("name").get<std::string>(), spec::printable(why, 300))};
    need.mib_per_cpu = std::max(need.mib_per_cpu, mib_per_cpu(mib, spec.values.at("threads").get<int64_t>()));
  }
  return need;
}

}  // namespace compeer::launch
