#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "gguf/gguf.h"

namespace compeer::gguf {

/// The tokenizer of a GGUF file as the files of a model folder.
struct VocabularyFiles {
  std::string tokenizer;  ///< tokenizer.json, as the library `tokenizers` writes it
  std::string config;     ///< tokenizer_config.json, with the chat template
  int64_t tokens = 0;     ///< in the vocabulary; ids are below it
};

/// Whether it has one.
bool has_vocabulary(const GgufFile& file);

/// Of byte-level BPE (`gpt2`) whose way of splitting words, tokenizer.ggml.pre, is gpt-2, smollm, llama-bpe or qwen2.
/// Control tokens become special, user-defined ones are found as a whole, unused ones that no merge makes are left out.
/// Throws Error (exit 4) for other tokenizers, naming them, and for tables that don't fit together.
VocabularyFiles vocabulary_files(const GgufFile& file);

/// The ids that config.json and generation_config.json name, as far as the file says them: bos_token_id, eos_token_id
/// (a list where there are several ends), pad_token_id. Below `tokens`.
nlohmann::ordered_json special_ids(const GgufFile& file, int64_t tokens);

}  // namespace compeer::gguf
