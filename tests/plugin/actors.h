#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "compeer/reward.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "plugin/search.h"

namespace compeer::plugin {

/// Folder of the plugins that are built for these tests.
inline const std::filesystem::path broken = COMPEER_BROKEN_DIR;

/// Returns the file of a test plugin. Its source is in tests/plugin/libraries/; `set` is a folder in `broken`.
inline PluginFile library(const std::string& set, const std::string& kind, const std::string& name) {
  return {kind, name, broken / set / kind / (name + ".so"), ""};
}

/// Returns services for hosts that find other plugins in the set only.
inline Services services(const std::string& set = "mirror") {
  return {.seed = 1, .log = {}, .cancelled = {}, .find = [set](const std::string& kind, const std::string& name) {
            const auto found = Finder({broken / set}).get(kind, name);
            return PluginFile{found.kind, found.name, found.path, found.sha256};
          }};
}

/// Opens the reward `actor`, which misbehaves as the setting `act` names.
inline Plugin<Reward> actor(const std::string& act, const Services& shared) {
  const auto chosen = library("actor", "rewards", "actor");
  return open<Reward>(chosen, Settings(nlohmann::json{{"act", act}}), std::make_unique<RunHost>(chosen, shared));
}

/// Scores one completion and ignores the result.
inline void score_one(Plugin<Reward>& reward) {
  const Example example;
  const std::vector<Completion> completions(1);
  const std::vector<Group> groups{{example, completions}};
  reward.call("score", [&](Reward& r) { r.score_all(groups); });
}

/// Returns the beginning of errors of the reward `actor` in this method.
inline std::string in(const std::string& method) {
  return "rewards/actor 2.3.4 (" + library("actor", "rewards", "actor").path.string() + "), in " + method + "()";
}

/// Returns the Error that `f` throws; the test fails if there is none.
inline Error error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error("", "");
}

}  // namespace compeer::plugin
