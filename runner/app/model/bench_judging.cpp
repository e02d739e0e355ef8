#include "app/model/bench_judging.h"

#include <fmt/format.h>

#include <iostream>

#include "app/bench/measurement.h"
#include "kernels/workers.h"
#include "plugin/calls.h"
#include "plugin/search.h"
#include "train/services.h"

namespace compeer::app {

namespace {

using nlohmann::json;

/// A plugin with its defaults but for these settings.
template <class T>
plugin::Plugin<T> opened(const std::string& name, const json& settings, const plugin::Services& services) {
  const auto found = plugin::Finder().get(T::kind, name);
  json values = plugin::defaults(found.descriptor.parameters);
  values.update(settings);
  const plugin::Chosen chosen{found.kind, found.name, found.path, found.sha256};
  return plugin::open<T>(chosen, Settings(values), std::make_unique<plugin::RunHost>(chosen, services));
}

/// Prompts of esc_world; as completions, in place of a policy's, the answers of this and other prompts.
std::vector<Group> groups_of(int64_t prompts, int64_t size, const plugin::Services& services) {
  auto data = opened<Dataset>("esc_world", json::object(), services);
  std::vector<Example> examples;
  for (int64_t i = 0; i < prompts + size; ++i)
    examples.push_back(data.call("get", [&](Dataset& d) { return d.get("test", i); }));
  std::vector<Group> groups;
  for (int64_t i = 0; i < prompts; ++i) {
    Group& group = groups.emplace_back();
    group.example = examples[static_cast<size_t>(i)];
    for (int64_t k = 0; k < size; ++k)
      group.completions.push_back({examples[static_cast<size_t>(i + k)].answer, 0, true});
  }
  return groups;
}

class Rater {
 public:
  Rater(const std::string& name, const json& folder, const plugin::Services& services)
      : reward_(opened<Reward>(name, {{"model", folder}}, services)), names_(plugin::parts(reward_)) {}

  void rate(const std::vector<Group>& groups) {
    for (const Group& group : groups) plugin::score(reward_, group, names_);
  }

 private:
  plugin::Plugin<Reward> reward_;
  std::vector<std::string> names_;
};

}  // namespace

int bench_judging(const json& options) {
  const auto or_else = [&](const char* key, const json& value) {
    const json& given = options.at(key);
    return given == 0 || given == "" ? value : given;
  };
  const json& model = options.at("model");
  const json nothing = {{"spec", {{"seed", 1}}}, {"plugins", json::array()}};
  const comm::StopFlag never;
  const auto services = train::services_of(nothing, never);
  const auto prompts = or_else("prompts", 16).get<int64_t>(), size = or_else("group", 4).get<int64_t>();
  const auto groups = groups_of(prompts, size, services);
  Rater whole("unifireward", model, services), prm("prm", or_else("prm", model), services),
      orm("orm", or_else("orm", model), services);
  const auto together = [&] { whole.rate(groups); };
  const auto apart = [&] { prm.rate(groups), orm.rate(groups); };
  together(), apart();  // warm
  std::vector<double> one, two, ratios;
  for (int64_t i = 0; i < or_else("repeats", 7).get<int64_t>(); ++i) {
    one.push_back(timed(1, together).front() / static_cast<double>(prompts));
    two.push_back(timed(1, apart).front() / static_cast<double>(prompts));
    ratios.push_back(one.back() / two.back());
  }
  const auto print = [&](const char* what, const char* unit, const std::vector<double>& values) {
    const int threads = kernels::threads();
    json line = measurement("judging",
                            fmt::format("{}: groups of {}, {} thread{}", what, size, threads, threads > 1 ? "s" : ""),
                            unit, spread(values));
    line.update({{"group", size}, {"prompts", prompts}, {"threads", threads}});
    std::cout << line.dump() << std::endl;
  };
  print("unifireward, a round", "s", one);
  print("prm + orm, a round", "s", two);
  print("unifireward / (prm + orm)", "x", ratios);
  return 0;
}

}  // namespace compeer::app
