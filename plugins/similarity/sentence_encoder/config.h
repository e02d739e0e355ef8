#pragma once
#include <cstdint>
#include <filesystem>

namespace compeer::sentence_encoder {

// Configuration files of a sentence encoder: a BERT model in a folder in sentence-transformers layout, which maps a
// text to a vector. Used by the similarity plugin `sentence_encoder`.

/// The sizes of a BERT model, named as in config.json.
struct BertConfig {
  int64_t vocab_size = 0, hidden_size = 0, num_hidden_layers = 0, num_attention_heads = 0, intermediate_size = 0;
  int64_t max_position_embeddings = 0, type_vocab_size = 0;
  double layer_norm_eps = 1e-12;

  /// Returns the size of an attention head.
  int64_t head_dim() const { return hidden_size / num_attention_heads; }
};

/// How a folder in sentence-transformers layout maps a text to its vector.
struct Recipe {
  std::filesystem::path model;  ///< folder with config.json, weights and tokenizer
  /// Pooling of the final hidden states. True: the first one, of [CLS] (cls pooling). False: the mean over all tokens,
  /// including [CLS] and [SEP] (mean pooling).
  bool first_only = false;
  bool lowercase = false;  ///< convert the text to lower case before tokenization
  int64_t max_tokens = 0;  ///< longer texts are truncated to this number of tokens; 0: max_position_embeddings
};

/// Reads a config.json. Throws Error (exit code 4: invalid data) that names file and key if it can't be read, or if the
/// model is not supported.
BertConfig read_config(const std::filesystem::path& file);

/// Reads the files of `folder`: modules.json, the pooling module's config.json and sentence_bert_config.json. Without
/// modules.json, the pooling is that of 1_Pooling/config.json, or mean pooling if that file is missing, too.
/// Normalization modules are ignored, because cosines do not depend on the length. Throws Error (exit code 4) that
/// names file and key if a file can't be read, or if a module is not supported.
Recipe read_recipe(const std::filesystem::path& folder);

}  // namespace compeer::sentence_encoder
