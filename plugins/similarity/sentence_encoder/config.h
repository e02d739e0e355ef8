#pragma once
#include <cstdint>
#include <filesystem>

namespace compeer::sentence_encoder {

/// The sizes of a BERT model, by their names in config.json.
struct BertConfig {
  int64_t vocab_size = 0, hidden_size = 0, num_hidden_layers = 0, num_attention_heads = 0, intermediate_size = 0;
  int64_t max_position_embeddings = 0, type_vocab_size = 0;
  double layer_norm_eps = 1e-12;

  int64_t head_dim() const { return hidden_size / num_attention_heads; }
};

/// What a folder of the sentence-transformers layout says about the way from a text to its vector.
struct Recipe {
  std::filesystem::path model;  ///< the folder with config.json, weights and tokenizer
  bool first_only = false;  ///< the vector is that of [CLS]; else the mean over all tokens, [CLS] and [SEP] included
  bool lowercase = false;   ///< text is brought to lower case before it is tokenized
  int64_t max_tokens = 0;   ///< longer texts are cut; 0: as the model's positions allow
};

/// Both throw Error (exit 4) naming file and key.
BertConfig read_config(const std::filesystem::path& file);

/// From modules.json, the pooling module's config.json and sentence_bert_config.json. A folder without the first has
/// the mean, unless 1_Pooling/config.json says otherwise. Bringing vectors to length 1 changes no cosine and is passed
/// over.
Recipe read_recipe(const std::filesystem::path& folder);

}  // namespace compeer::sentence_encoder
