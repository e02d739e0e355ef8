#pragma once
#include <gtest/gtest.h>

#include <cmath>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "places.h"
#include "plugin/calls.h"
#include "plugin/host.h"
#include "plugin/search.h"

/// Opens the plugins of this build, as the worker does, and checks the contract of each plugin kind.
namespace compeer::built {

/// Returns the finder of the plugins of this build.
inline const plugin::Finder& finder() {
  static const plugin::Finder one({std::filesystem::path(COMPEER_BINARY_DIR) / "plugins"});
  return one;
}

/// Returns services for the hosts of plugins, which find other plugins of this build.
inline const plugin::Services& services() {
  static const plugin::Services one{
      .seed = 1, .log = {}, .cancelled = {}, .find = [](const std::string& kind, const std::string& name) {
        const auto found = finder().get(kind, name);
        return plugin::PluginFile{found.kind, found.name, found.path, found.sha256};
      }};
  return one;
}

/// Opens a plugin with its defaults, overridden by `settings`, and with `host`, if given.
template <class T>
plugin::Plugin<T> open(const std::string& name, const nlohmann::json& settings = nlohmann::json::object(),
                       std::unique_ptr<Host> host = nullptr) {
  const auto found = finder().get(T::kind, name);
  auto values = plugin::defaults(found.descriptor.parameters);
  for (const auto& [key, value] : settings.items()) {
    EXPECT_NE(spec::find(found.descriptor.parameters, key), nullptr) << name << " has no setting " << key;
    values[key] = value;
  }
  const plugin::PluginFile chosen{found.kind, found.name, found.path, found.sha256};
  if (!host) host = std::make_unique<plugin::RunHost>(chosen, services());
  return plugin::open<T>(chosen, Settings(values), std::move(host));
}

/// Returns the findings (summary figures) of a stage for the outcomes of all its records.
inline nlohmann::json findings(plugin::Plugin<Stage>& stage, const std::vector<Outcome>& outcomes) {
  std::map<std::string, double> counts;
  for (const auto& outcome : outcomes) {
    for (const auto& [name, value] : outcome.counts) counts[name] += value;
  }
  return stage.call("findings", [&](Stage& s) { return s.findings(counts); });
}

/// Returns completions with these texts and `tokens` tokens each.
inline std::vector<Completion> completions(const std::vector<std::string>& texts, int64_t tokens = 0) {
  std::vector<Completion> all;
  for (const auto& text : texts) all.push_back({text, tokens, true});
  return all;
}

/// Returns the first completion's values in the order of the columns, then those of the second, ...
inline std::vector<double> values(const Scores& scores) {
  std::vector<double> all;
  const size_t completions = scores.columns().front().second.size();
  for (size_t i = 0; i < completions; ++i) {
    for (const auto& [name, column] : scores.columns()) all.push_back(column[i]);
  }
  return all;
}

/// Returns the values of all rows, one row after another.
inline std::vector<double> values(const std::vector<std::vector<double>>& rows) {
  std::vector<double> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

/// Unusual texts that every plugin must handle.
inline std::vector<std::string> odd_texts() {
  using namespace std::string_literals;
  return {"",
          " \n\t ",
          "...?!",
          "plain words",
          "\xff\xfe\x80 broken \xe4\xbd",
          "我很难过。",
          "a\0b"s,
          "</history><emotion>",
          std::string(100000, 'x'),
          "<history>a</history><emotion>b</emotion><strategy>c</strategy>\nd"};
}

/// Checks the contract of rewards: scores must be finite, of the right shape and reproducible, also for unusual texts,
/// one completion and no history.
inline void keeps_contract(plugin::Plugin<Reward>& reward) {
  const auto names = plugin::columns(reward);
  Example example;
  for (int turns = 0; turns < 3; ++turns) {
    const auto all = completions(odd_texts(), 7), one = completions({"a single one"}, 3);
    const auto first = values(plugin::score(reward, {example, all}, names));
    EXPECT_EQ(values(plugin::score(reward, {example, all}, names)), first);
    plugin::score(reward, {example, one}, names);
    example.history.push_back({turns == 0 ? "user" : "assistant", odd_texts()[static_cast<size_t>(turns) + 4]});
  }
}

/// Checks the contract of reweightings: factors must be finite, of the right shape and reproducible, as for rewards.
inline void keeps_contract(plugin::Plugin<Reweighting>& reweighting) {
  const auto names = plugin::factors(reweighting);
  Example example;
  for (int turns = 0; turns < 3; ++turns) {
    const auto all = completions(odd_texts(), 7), one = completions({"a single one"}, 3);
    std::vector<double> rewards;
    for (size_t i = 0; i < all.size(); ++i) rewards.push_back(static_cast<double>(i) - 4.0);
    const auto first = values(plugin::reweight(reweighting, {example, all}, rewards, names));
    EXPECT_EQ(values(plugin::reweight(reweighting, {example, all}, rewards, names)), first);
    plugin::reweight(reweighting, {example, one}, std::span(rewards).first(1), names);
    example.history.push_back({turns == 0 ? "user" : "assistant", odd_texts()[static_cast<size_t>(turns) + 4]});
  }
}

/// Checks the contract of similarities: cosines must be in [-1, 1] (checked by the host), symmetric, 1 for a text with
/// itself and 0 for an empty text.
inline void keeps_contract(plugin::Plugin<Similarity>& similarity) {
  const auto texts = odd_texts();
  const auto cosines = plugin::compare(similarity, texts, texts);
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(cosines[0][i], 0.0) << "the empty text";
    EXPECT_TRUE(cosines[i][i] == 0.0 || std::abs(cosines[i][i] - 1.0) < 1e-6) << i;
    for (size_t j = 0; j < texts.size(); ++j) EXPECT_EQ(cosines[i][j], cosines[j][i]);
  }
  EXPECT_TRUE(plugin::compare(similarity, {}, texts).empty());
}

}  // namespace compeer::built
