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

/// A library out of tests/plugin/libraries/, as tests/plugin/CMakeLists.txt builds it into sets.
inline Chosen library(const std::string& set, const std::string& kind, const std::string& name) {
  return {kind, name, broken / set / kind / (name + ".so"), ""};
}

/// Services whose similarities come from one set.
inline Services services(const std::string& set = "mirror") {
  return {.seed = 1, .log = {}, .cancelled = {}, .find = [set](const std::string& kind, const std::string& name) {
            const auto found = Finder({broken / set}).get(kind, name);
            return Chosen{found.kind, found.name, found.path, found.sha256};
          }};
}

inline Plugin<Reward> actor(const std::string& act, const Services& shared) {
  const auto chosen = library("actor", "rewards", "actor");
  return open<Reward>(chosen, Settings(nlohmann::json{{"act", act}}), std::make_unique<RunHost>(chosen, shared));
}

/// Has it score one completion. Nothing looks at the scores.
inline void score_one(Plugin<Reward>& reward) {
  const Example example;
  const std::vector<Completion> completions(1);
  const std::vector<Group> groups{{example, completions}};
  reward.call("score", [&](Reward& r) { r.score_all(groups); });
}

/// How the actor's errors begin.
inline std::string in(const std::string& method) {
  return "rewards/actor 2.3.4 (" + library("actor", "rewards", "actor").path.string() + "), in " + method + "()";
}

/// The error that `f` throws; fails the test if there is none.
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
