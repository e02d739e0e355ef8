// The plugin `qwen2_5_vl` with small images, for its tests.
#pragma once
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "compeer/model.h"
#include "language/pictures.h"
#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"

namespace compeer {
namespace fs = std::filesystem;
using nlohmann::json;

// Folder of the reference model and its images.
const fs::path golden_folder = fs::path(COMPEER_SOURCE_DIR) / "tests/golden/vl";
// Placeholder tokens of this model.
constexpr int32_t image_token = 503, video_token = 504;

using Opened = std::unique_ptr<plugin::Plugin<Model>>;
// Opens a model. `name`: the plugin; `frozen`: weights are not trained, and keep their stored precision; `more`:
// changed settings.
inline Opened open_model(const fs::path& folder, const char* name = "qwen2_5_vl", bool frozen = false, json more = {}) {
  static const plugin::Services services;
  const plugin::PluginFile chosen{"models", name, std::string(COMPEER_BINARY_DIR "/plugins/models/") + name + ".so",
                                  ""};
  json settings = {{"path", folder.string()},
                   {"config", nullptr},
                   {"frozen", frozen},
                   {"precision", frozen ? "stored" : "float32"},
                   {"engine", "exact"}};
  if (more.is_object()) settings.update(more);
  return std::make_unique<plugin::Plugin<Model>>(
      plugin::open<Model>(chosen, Settings(settings), std::make_unique<plugin::RunHost>(chosen, services)));
}

inline json read_json(const fs::path& file) {
  std::ifstream in(file);
  return json::parse(in);
}

// Returns the four test images as input of the vision tower.
inline std::vector<Picture> pictures() {
  const auto settings = language::PictureSettings::load(golden_folder);
  std::vector<Picture> all;
  for (const char* name : {"image0.png", "image1.png", "image2.png", "image3.png"})
    all.push_back(language::read_picture({golden_folder / "images" / name}, settings));
  return all;
}

// Returns a grey image of time x height x width patches as input of the vision tower.
inline Picture grey(int64_t time, int64_t height, int64_t width) {
  return {std::vector<float>(static_cast<size_t>(time * height * width * 1176)), time, height, width};
}

// Returns the placeholder tokens of an image, one for each four patches.
inline std::vector<int32_t> placeholders_of(const Picture& picture, int32_t token = image_token) {
  return std::vector<int32_t>(static_cast<size_t>(picture.time * picture.height * picture.width / 4), token);
}

// Returns the positions of all tokens on one axis: 0 time, 1 height, 2 width.
inline std::vector<int64_t> axis(const VisionFeatures& vision, int64_t which) {
  const at::Tensor row = vision.positions[which].contiguous();
  return {row.const_data_ptr<int64_t>(), row.const_data_ptr<int64_t>() + row.numel()};
}

// Returns the features of some images, in one text: [placeholder tokens, width].
inline at::Tensor features(Model& model, const std::vector<Picture>& some) {
  std::vector<int32_t> tokens;
  for (const Picture& picture : some) {
    const auto own = placeholders_of(picture);
    tokens.push_back(1);
    tokens.insert(tokens.end(), own.begin(), own.end());
  }
  return dynamic_cast<VisionModel&>(model).encode(tokens, 0, some)->features;
}

// Fixture with the reference model.
class Qwen25Vl : public testing::Test {
 protected:
  Model& model() { return opened->object(); }
  VisionModel& vision_model() { return dynamic_cast<VisionModel&>(opened->object()); }
  // Returns the error of encoding these images in a text of these tokens, or "nothing".
  std::string complaint(std::vector<int32_t> tokens, const std::vector<Picture>& some) {
    try {
      opened->call("encode", [&](Model& m) { dynamic_cast<VisionModel&>(m).encode(tokens, 0, some); });
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      return error.problem();
    }
    return "nothing";
  }
  Opened opened = open_model(golden_folder);
};

}  // namespace compeer
