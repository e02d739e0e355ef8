#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config.h"
#include "kernels/functions.h"
#include "language/word_pieces.h"
#include "decoder/weights.h"

namespace compeer::sentence_encoder {

/// A BERT-class sentence encoder: maps texts to vectors for the similarity plugin `sentence_encoder`. Its weights are
/// not trained. Computes in float32 with the exact kernels, so the vector of a text is bitwise identical whatever else
/// is in the batch, on any number of threads.
class Encoder {
 public:
  /// Loads the encoder from a folder in sentence-transformers layout. Throws Error (exit code 4: invalid data) that
  /// names the file and the problem if it can't be read.
  explicit Encoder(const std::filesystem::path& folder);

  /// Returns the token ids of [CLS], the text's word pieces and [SEP], truncated to the maximum length.
  std::vector<int32_t> tokens(const std::string& text) const;

  /// Returns a vector for each text, [text][hidden_size], not normalized; zeros for a text without word pieces.
  std::vector<std::vector<float>> embed(const std::vector<std::string>& texts);

 private:
  // Parameters of a layer normalization, each [hidden_size].
  struct Norm {
    at::Tensor weight, bias;
  };
  // Parameters of a linear layer.
  struct Dense {
    kernels::Weight weight;  // [out, in]
    at::Tensor bias;         // [out]
  };
  // A transformer layer: attention and feed-forward network, each followed by a normalization.
  struct Layer {
    Dense query, key, value, attention_out;
    Norm attention_norm;
    Dense intermediate, out;
    Norm norm;
  };
  // Returns the final hidden states [rows, hidden_size] of several texts. `tokens`: the token ids of all texts, one
  // after the other; `texts`: the range of rows of each text.
  at::Tensor forward(const std::vector<int32_t>& tokens, const std::vector<kernels::RowRange>& texts);
  // Applies one layer to x [rows, hidden_size]; rows attend to each other within the same range of `spans`.
  at::Tensor pass(Layer& layer, const at::Tensor& x, const std::vector<kernels::RowRange>& spans);

  Recipe recipe_;
  BertConfig config_;
  language::WordPieces pieces_;  // the tokenizer
  size_t max_tokens_;            // longer texts are truncated
  at::Tensor words_;             // token embeddings [vocab_size, hidden_size]
  at::Tensor positions_;  // position embeddings plus token type embedding 0, [max_position_embeddings, hidden_size]
  Norm norm_;             // normalization of the embeddings
  std::vector<Layer> layers_;
};

/// Returns the names (those of Hugging Face's BertModel) and the shapes of the weights, in the order in which Encoder
/// loads them.
std::vector<decoder::Entry> entries(const BertConfig& config);

}  // namespace compeer::sentence_encoder
