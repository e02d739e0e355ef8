#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "../seeing_model.h"
#include "inference/vision_input.h"
#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "rollout/policy.h"

namespace compeer::inference {

/// Fixture with a small vision model, in a temporary folder.
class Seeing : public testing::Test {
 protected:
  Seeing() {
    make_seeing_model(folder);
    services.seed = 5;
    services.find = [](const std::string& kind, const std::string& name) {
      return plugin::PluginFile{kind, name,
                                std::filesystem::path(COMPEER_BINARY_DIR) / "plugins" / kind / (name + ".so"), ""};
    };
  }
  ~Seeing() override { std::filesystem::remove_all(folder); }

  /// Returns the path of a test image.
  static std::string picture(int number) { return seen_picture(number); }
  /// Opens the model. `merger`: its vision merger is trainable.
  plugin::Plugin<Model> open(bool merger = false) const {
    const auto chosen = services.find("models", "qwen2_5_vl");
    return plugin::open<Model>(
        chosen,
        plugin::whole_settings(chosen, {{"plugin", "qwen2_5_vl"}, {"path", folder.string()}, {"merger", merger}}),
        std::make_unique<plugin::RunHost>(chosen, services));
  }

  // The model's folder.
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("seeing-" + std::to_string(::getpid()));
  plugin::Services services;
};

}  // namespace compeer::inference
