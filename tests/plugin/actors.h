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

inline const std::filesystem::path broken = COMPEER_BROKEN_DIR;

/// A library of tests/plugin/libraries/, built into the set by tests/plugin/CMakeLists.txt.
inline PluginFile library(const std::string& set, const std::string& kind, const std::string& name) {
  return {kind, name, broken / set / kind / (name + ".so"), ""};
}

/// Services that find similarities in one set.
inline Services services(const std::string& set = "mirror") {
  return {.seed = 1, .log = {}, .cancelled = {}, .find = [set](const std::string& kind, const std::string& name) {
            const auto found = Finder({broken / set}).get(kind, name);
            return PluginFile{found.kind, found.name, found.path, found.sha256};
          }};
}

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

/// The prefix of the actor's errors.
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
