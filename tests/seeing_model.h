#pragma once
#include <filesystem>
#include <string>

#include "places.h"

namespace compeer {

/// Makes a folder of the small model of tests/golden/vl, which takes pictures, with a tokenizer of bytes and a template
/// that shows them (tests/inference/seeing).
inline void make_seeing_model(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const fs::path source = COMPEER_SOURCE_DIR;
  fs::create_directories(folder);
  for (const char* file : {"model.safetensors", "preprocessor_config.json"})
    fs::copy_file(source / "tests/golden/vl" / file, folder / file);
  for (const auto& file : fs::directory_iterator(source / "tests/inference/seeing"))
    fs::copy_file(file.path(), folder / file.path().filename());
}

/// image0.png and image2.png have 6 tokens, image1.png 16.
inline std::string seen_picture(int number) {
  return COMPEER_SOURCE_DIR "/tests/golden/vl/images/image" + std::to_string(number) + ".png";
}

}  // namespace compeer
