#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "gguf/gguf.h"

namespace compeer::gguf {

/// The tokenizer of a GGUF file, converted to the files of a model folder.
struct VocabularyFiles {
  std::string tokenizer;  ///< contents of tokenizer.json, in the form of Hugging Face's library `tokenizers`
  std::string config;     ///< contents of tokenizer_config.json, with the chat template if the file has one
  int64_t tokens = 0;     ///< size of the vocabulary; token ids are in [0, tokens)
};

/// True if the file contains a tokenizer.
bool has_vocabulary(const GgufFile& file);

/// Converts the tokenizer; `has_vocabulary` must be true. Supports byte-level BPE (`gpt2`) with the pre-tokenizers
/// (tokenizer.ggml.pre) gpt-2, smollm, llama-bpe and qwen2. Control and unknown tokens become special tokens,
/// user-defined tokens become added tokens, and unused tokens that take part in no merge are left out. Throws Error
/// (exit code 4: not supported or invalid) for other tokenizers and for inconsistent tables.
VocabularyFiles vocabulary_files(const GgufFile& file);

/// Returns the token ids for config.json and generation_config.json, as far as the file defines them: bos_token_id,
/// eos_token_id (a list if there are several end tokens), pad_token_id. Throws Error (exit code 4) for an id outside
/// [0, tokens).
nlohmann::ordered_json special_ids(const GgufFile& file, int64_t tokens);

}  // namespace compeer::gguf
