#pragma once
#include <filesystem>
#include <string>

#include "places.h"

namespace compeer {

/// Writes a model folder with the small vision model of tests/golden/vl, a byte-level tokenizer and a chat template
/// that supports images (tests/inference/seeing).
inline void make_seeing_model(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const fs::path source = COMPEER_SOURCE_DIR;
  fs::create_directories(folder);
  for (const char* file : {"model.safetensors", "preprocessor_config.json"})
    fs::copy_file(source / "tests/golden/vl" / file, folder / file);
  for (const auto& file : fs::directory_iterator(source / "tests/inference/seeing"))
    fs::copy_file(file.path(), folder / file.path().filename());
}

/// Path of a test image. image0.png and image2.png take 6 tokens, image1.png 16.
inline std::string seen_picture(int number) {
  return COMPEER_SOURCE_DIR "/tests/golden/vl/images/image" + std::to_string(number) + ".png";
}

}  // namespace compeer
