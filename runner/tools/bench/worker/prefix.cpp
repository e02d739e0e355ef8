// Benchmark of forward and backward passes with a shared prompt.
#include "tools/bench/worker/prefix.h"

#include <ATen/ops/sum.h>
#include <fmt/format.h>

#include <iostream>
#include <limits>

#include "base/random.h"
#include "kernels/workers.h"
#include "tools/bench/measurement.h"
#include "tools/bench/worker/model.h"
#include "train/update/learning.h"
#include "train/update/parameters.h"

namespace compeer::bench {

namespace {

using nlohmann::json;

struct Load {
  std::string size;
  int64_t group, prompt, new_tokens, repeats;
};

Load load(const json& options) {
  const auto or_else = [&](const char* key, int64_t value) {
    const auto given = options.at(key).get<int64_t>();
    return given > 0 ? given : value;
  };
  const bool big = options.at("size") == "0.5b";
  const auto fresh = or_else("new", big ? 32 : 64);
  return {options.at("size").get<std::string>(), or_else("group", 8), or_else("prompt", 2 * fresh), fresh,
          or_else("repeats", big ? 1 : 5)};
}

std::vector<int32_t> tokens(int64_t count, uint32_t which, int64_t vocabulary) {
  std::vector<int32_t> all;
  for (uint32_t i = 0; i < count; ++i)
    all.push_back(static_cast<int32_t>(below(static_cast<uint64_t>(vocabulary), 1, Stream::shuffle, which, i)));
  return all;
}

train::PromptGroup group_of(const Load& of, int64_t vocabulary) {
  train::PromptGroup group;
  group.prompt = tokens(of.prompt, 0, vocabulary);
  for (uint32_t i = 0; i < of.group; ++i) {
    rollout::Sample sample;
    sample.tokens = tokens(of.new_tokens, i + 1, vocabulary);
    sample.log_probs.assign(sample.tokens.size(), -1.0f);
    group.samples.push_back(std::move(sample));
  }
  return group;
}

std::vector<train::TrainingSequence> separate_sequences(const train::PromptGroup& group) {
  std::vector<train::TrainingSequence> all;
  for (const auto& sample : group.samples) {
    auto tokens = group.prompt;
    tokens.insert(tokens.end(), sample.tokens.begin(), sample.tokens.end());
    all.emplace_back(std::move(tokens), static_cast<int64_t>(group.prompt.size()));
  }
  return all;
}

void print(const Load& of, const std::string& what, const std::string& unit, const TimingSpread& values,
           const json& more) {
  const int threads = kernels::threads();
  json line = measurement("prefix",
                          fmt::format("{}: {}, {} + {} x {}, {} thread{}", what, of.size, of.prompt, of.group,
                                      of.new_tokens, threads, threads > 1 ? "s" : ""),
                          unit, values);
  line.update(
      {{"size", of.size}, {"group", of.group}, {"prompt", of.prompt}, {"new", of.new_tokens}, {"threads", threads}});
  line.update(more);
  std::cout << line.dump() << std::endl;
}

}  // namespace

int bench_prefix(const json& options) {
  const Load of = load(options);
  const BenchModel files(bench_size(of.size), "fp32");
  inference::OpenModel model({.folder = files.folder(), .precision = "float32", .frozen = false});
  rollout::Policy& policy = *model.policy;
  train::Parameters parameters(policy.model);
  std::vector<float> gradient(static_cast<size_t>(parameters.size()));

  const auto group = group_of(of, policy.model.shape().vocabulary);
  const auto batch = train::group_batch(group);
  const auto lessons = separate_sequences(group);
  const auto together = [&] {
    parameters.differentiate(at::sum(train::log_probs(policy, batch, 1.0).log_prob), gradient);
  };
  const auto one_by_one = [&] {
    constexpr auto apart = std::numeric_limits<int64_t>::max();
    parameters.differentiate(at::sum(train::log_probs(policy, lessons, apart)), gradient);
  };
  together(), one_by_one();  // warm
  std::vector<double> shared, unshared, ratios;
  for (int64_t i = 0; i < of.repeats; ++i) {
    unshared.push_back(timed(1, one_by_one).front());
    shared.push_back(timed(1, together).front());
    ratios.push_back(unshared.back() / shared.back());
  }
  const auto g = static_cast<double>(of.group), p = static_cast<double>(of.prompt),
             r = static_cast<double>(of.new_tokens);
  const double bound = g * (p + r) / (p + g * r), ratio = spread(ratios).median;
  print(of, "one prompt for all", "s", spread(shared), json::object());
  print(of, "a prompt for each", "s", spread(unshared), json::object());
  print(of, "ratio", "x", spread(ratios),
        {{"bound", bound},
         {"of_bound", ratio / bound},
         {"note", fmt::format("{:.0f} % of {:.2f}, which arithmetic allows", 100 * ratio / bound, bound)}});
  return 0;
}

}  // namespace compeer::bench
