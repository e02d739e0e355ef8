#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "inference/vision_input.h"
#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "rollout/policy.h"

namespace compeer::inference {

/// The small model that takes pictures of tests/golden/vl, with a tokenizer of bytes and a template that shows pictures
/// (tests/inference/seeing). image0.png and image2.png have 6 tokens, image1.png 16.
class Seeing : public testing::Test {
 protected:
  Seeing() {
    namespace fs = std::filesystem;
    fs::create_directories(folder);
    for (const char* file : {"model.safetensors", "preprocessor_config.json"}) copy(golden() / file);
    for (const auto& file : fs::directory_iterator(source() / "tests/inference/seeing")) copy(file.path());
    services.seed = 5;
    services.find = [](const std::string& kind, const std::string& name) {
      return plugin::Chosen{kind, name, fs::path(COMPEER_BINARY_DIR) / "plugins" / kind / (name + ".so"), ""};
    };
  }
  ~Seeing() override { std::filesystem::remove_all(folder); }

  static std::filesystem::path source() { return COMPEER_SOURCE_DIR; }
  static std::filesystem::path golden() { return source() / "tests/golden/vl"; }
  static std::string picture(int number) {
    return (golden() / "images" / ("image" + std::to_string(number) + ".png")).string();
  }
  void copy(const std::filesystem::path& file) const {
    std::filesystem::copy_file(file, folder / file.filename(), std::filesystem::copy_options::overwrite_existing);
  }
  plugin::Plugin<Model> open() const {
    const auto chosen = services.find("models", "qwen2_5_vl");
    return plugin::open<Model>(chosen,
                               plugin::whole_settings(chosen, {{"plugin", "qwen2_5_vl"}, {"path", folder.string()}}),
                               std::make_unique<plugin::RunHost>(chosen, services));
  }

  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("seeing-" + std::to_string(::getpid()));
  plugin::Services services;
};

}  // namespace compeer::inference
