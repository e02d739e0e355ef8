// Benchmark of judging a group of completions.
#include "tools/bench/worker/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iostream>

#include "base/disk.h"
#include "base/hash.h"
#include "compeer/dataset.h"
#include "compeer/reward.h"
#include "inference/services.h"
#include "kernels/workers.h"
#include "plugin/calls.h"
#include "tools/bench/measurement.h"

namespace compeer::bench {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct JudgedRound {
  Example example;
  std::vector<Completion> completions;
};

/// Returns prompts of esc_world with the answers of this and other prompts as completions.
std::vector<JudgedRound> rounds_of(int64_t prompts, int64_t size, const plugin::Services& services) {
  auto data = inference::open_plugin<Dataset>("esc_world", json::object(), services);
  const auto example = [&](int64_t i) { return data.call("get", [&](Dataset& d) { return d.get("test", i); }); };
  std::vector<JudgedRound> rounds;
  for (int64_t i = 0; i < prompts; ++i) {
    JudgedRound& round = rounds.emplace_back(JudgedRound{example(i), {}});
    for (int64_t k = 0; k < size; ++k) round.completions.push_back({example(i + k).answer, 0, true});
  }
  return rounds;
}

/// Returns the judge's folder without form.json: the time of a verdict does not depend on whether it can be parsed.
std::string without_form(const json& judge, const Scratch& scratch) {
  const fs::path folder = judge.get<std::string>(), bare = scratch.folder() / sha256(folder.string());
  if (!fs::exists(folder / "form.json")) return folder.string();
  fs::create_directories(bare);
  for (const auto& file : fs::directory_iterator(folder)) {
    const auto name = file.path().filename();
    if (name != "form.json" && !fs::exists(bare / name)) fs::create_symlink(fs::canonical(file.path()), bare / name);
  }
  return bare.string();
}

class Rater {
 public:
  Rater(const std::string& name, const json& folder, const json& by, const plugin::Services& services)
      : reward_(inference::open_plugin<Reward>(name, {{"model", folder}, {"score_by", by}}, services)),
        names_(plugin::columns(reward_)) {}

  void rate(const std::vector<JudgedRound>& rounds) {
    for (const JudgedRound& round : rounds) plugin::score(reward_, {round.example, round.completions}, names_);
  }

 private:
  plugin::Plugin<Reward> reward_;
  std::vector<std::string> names_;
};

/// Wall time and processor time (of all threads) of one repetition.
struct Elapsed {
  double seconds, processor;
};

Elapsed elapsed(const std::function<void()>& work) {
  const auto before = std::clock();
  const double seconds = timed(1, work).front();
  return {seconds, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC};
}

std::string quartiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return fmt::format("quartiles {:.3g} to {:.3g}", values[values.size() / 4], values[values.size() * 3 / 4]);
}

}  // namespace

int bench_judging(const json& options) {
  const auto or_else = [&](const char* key, const json& value) {
    const json& given = options.at(key);
    return given == 0 || given == "" ? value : given;
  };
  const json &model = options.at("model"), &by = options.at("by");
  const json nothing = {{"spec", {{"seed", 1}}}, {"plugins", json::array()}};
  const comm::StopFlag never;
  auto services = inference::services_of(nothing, never);
  services.log = nullptr;
  const Scratch scratch;
  const auto prompts = or_else("prompts", 16).get<int64_t>(), size = or_else("group", 4).get<int64_t>();
  const auto rounds = rounds_of(prompts, size, services);
  Rater whole("unifireward", without_form(model, scratch), by, services),
      prm("prm", without_form(or_else("prm", model), scratch), by, services),
      orm("orm", without_form(or_else("orm", model), scratch), by, services);
  const auto together = [&] { whole.rate(rounds); };
  const auto apart = [&] { prm.rate(rounds), orm.rate(rounds); };
  together(), apart();  // warm
  std::vector<double> one, two, ratios, of_processor;
  for (int64_t i = 0; i < or_else("repeats", 7).get<int64_t>(); ++i) {
    const Elapsed first = elapsed(together), second = elapsed(apart);
    one.push_back(first.seconds / static_cast<double>(prompts));
    two.push_back(second.seconds / static_cast<double>(prompts));
    ratios.push_back(one.back() / two.back());
    of_processor.push_back(first.processor / second.processor);
  }
  const auto print = [&](const char* what, const char* unit, const std::vector<double>& values) {
    const int threads = kernels::threads();
    json line = measurement("judging",
                            fmt::format("{}: groups of {}, {} thread{}", what, size, threads, threads > 1 ? "s" : ""),
                            unit, spread(values));
    line.update({{"group", size}, {"prompts", prompts}, {"threads", threads}, {"by", by}, {"note", quartiles(values)}});
    std::cout << line.dump() << std::endl;
  };
  print("unifireward, a round", "s", one);
  print("prm + orm, a round", "s", two);
  print("unifireward / (prm + orm)", "x", ratios);
  print("the same in processor time", "x", of_processor);
  return 0;
}

}  // namespace compeer::bench
