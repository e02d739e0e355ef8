#pragma once
#include <cstdint>
#include <filesystem>

namespace compeer::sentence_encoder {

/// The sizes of a BERT model, named as in config.json.
struct BertConfig {
  int64_t vocab_size = 0, hidden_size = 0, num_hidden_layers = 0, num_attention_heads = 0, intermediate_size = 0;
  int64_t max_position_embeddings = 0, type_vocab_size = 0;
  double layer_norm_eps = 1e-12;

  int64_t head_dim() const { return hidden_size / num_attention_heads; }
};

/// How a folder in sentence-transformers layout maps a text to its vector.
struct Recipe {
  std::filesystem::path model;  ///< folder with config.json, weights and tokenizer
  /// True: the vector of [CLS] (cls pooling). False: the mean over all tokens with [CLS] and [SEP] (mean pooling).
  bool first_only = false;
  bool lowercase = false;  ///< convert the text to lower case before tokenization
  int64_t max_tokens = 0;  ///< longer texts are truncated; 0: the model's number of positions
};

/// Reads a config.json. Throws Error (exit 4) that names file and key.
BertConfig read_config(const std::filesystem::path& file);

/// Reads modules.json, the pooling module's config.json and sentence_bert_config.json. Without modules.json: mean
/// pooling, or as in 1_Pooling/config.json. Normalization modules are ignored, because cosines do not depend on the
/// length. Throws Error (exit 4) that names file and key.
Recipe read_recipe(const std::filesystem::path& folder);

}  // namespace compeer::sentence_encoder
