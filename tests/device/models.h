#pragma once
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "rollout/engine.h"

namespace compeer {

/// Opens a model with libtorch's engine. `folder`: below tests/golden; `family`: the model plugin; `more`: changed
/// settings.
inline std::unique_ptr<plugin::Plugin<Model>> open_model(const std::string& folder, const std::string& family,
                                                         const nlohmann::json& more = nlohmann::json::object()) {
  static const plugin::Services services;
  const plugin::PluginFile chosen{"models", family, COMPEER_BINARY_DIR "/plugins/models/" + family + ".so", ""};
  nlohmann::json settings{{"path", COMPEER_SOURCE_DIR "/tests/golden/" + folder},
                          {"frozen", true},
                          {"precision", "stored"},
                          {"engine", "libtorch"}};
  settings.update(more);
  return std::make_unique<plugin::Plugin<Model>>(
      plugin::open<Model>(chosen, Settings(settings), std::make_unique<plugin::RunHost>(chosen, services)));
}

/// Returns five prompts of 2 to 38 tokens.
inline std::vector<rollout::Prompt> some_prompts() {
  std::vector<rollout::Prompt> all;
  for (uint32_t i = 0; i < 5; ++i) {
    rollout::Prompt one{i, {}};
    for (uint32_t k = 0; k < 2 + 9 * i; ++k) one.tokens.push_back(static_cast<int32_t>((5 * k + i) % 60));
    all.push_back(one);
  }
  return all;
}

/// Returns a request for three completions of each prompt.
inline rollout::Request some_request() {
  rollout::Request request;
  request.group_size = 3;
  request.sampling.max_new_tokens = 20;
  request.sampling.concurrent = 6;
  request.seed = 4;
  return request;
}

/// Disables libtorch's own attention kernel of the CPU, which other devices do not have.
class OnTheCpuWithoutItsOwnAttention : public testing::Test {
 protected:
  OnTheCpuWithoutItsOwnAttention() { at::globalContext().setSDPUseFlash(false); }
  ~OnTheCpuWithoutItsOwnAttention() override { at::globalContext().setSDPUseFlash(true); }
};

}  // namespace compeer
