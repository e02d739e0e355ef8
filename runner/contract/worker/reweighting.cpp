// What is asked of a reweighting: names of its factors, and of any rewards, for any completions, finite new ones (the
// door sees to both), the same ones whenever it is asked. Rewards that are no numbers it may refuse.
#include <limits>

#include "contract/worker/inputs.h"
#include "contract/worker/kit.h"

namespace compeer::contract {

namespace {

using Plugin = plugin::Plugin<Reweighting>;

Case<Reweighting> reweights(const std::string& input, const Example& example, const std::vector<std::string>& texts,
                            const std::vector<double>& rewards) {
  return {input, "reweight", [example, given = completions(texts), rewards](Plugin& reweighting) {
            const auto names = plugin::factors(reweighting);
            const auto reweight = [&] { return plugin::reweight(reweighting, {example, given}, rewards, names); };
            return bytes(names) + bytes(untouched(reweight, example, given));
          }};
}

// What comes out of what is no number is not looked at.
Case<Reweighting> survives(const std::string& input, const Example& example, const std::vector<double>& rewards) {
  return {input, "reweight",
          [example, given = completions(all_texts().front().texts), rewards](Plugin& reweighting) -> std::string {
            reweighting.call("reweight", [&](Reweighting& r) { r.reweight({example, given}, rewards); });
            return "";
          },
          true};
}

// What it was given is logged as the reward, behind it.
std::string changes_rewards(Plugin& reweighting, const Example& example) {
  const auto given = completions(all_texts().front().texts);
  const std::vector<double> before{1, -0.5, 0.25, 2};
  const auto rewards = before;
  plugin::reweight(reweighting, {example, given}, rewards, plugin::factors(reweighting));
  return rewards == before ? "" : "it wrote into the rewards that it was given";
}

}  // namespace

Kit<Reweighting> kit_for(const Subject<Reweighting>& subject) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const Example& example = subject.examples.front();
  const auto& ordinary = all_texts().front().texts;
  Kit<Reweighting> kit;
  for (const SampleTexts& one : all_texts())
    kit.cases.push_back(reweights(one.of("completions"), example, one.texts, {1, -0.5, 0.25, 2}));
  kit.cases.push_back(reweights("a single completion", example, {ordinary.front()}, {1}));
  kit.cases.push_back(reweights("equal completions", example, std::vector<std::string>(4, "the same"), {1, 2, 3, 4}));
  kit.cases.push_back(reweights("equal rewards", example, ordinary, {1, 1, 1, 1}));
  kit.cases.push_back(reweights("rewards of nothing", example, ordinary, {0, -0.0, 0, 0}));
  kit.cases.push_back(reweights("rewards of a million", example, ordinary, {1e6, -1e6, 1e6, 1e6}));
  kit.cases.push_back(survives("rewards that are no number", example, {1, nan, 1, 1}));
  kit.cases.push_back(survives("infinite rewards", example, {infinity, -infinity, 1, 1}));
  kit.rules = {{"the rewards that it gets stay as they were", "reweight",
                [example](Plugin& reweighting) { return changes_rewards(reweighting, example); }}};
  return kit;
}

}  // namespace compeer::contract
