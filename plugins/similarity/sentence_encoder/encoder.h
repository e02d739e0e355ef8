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

/// A BERT-class sentence encoder, loaded frozen from a folder. Computes in float32 with the exact kernels, so the
/// vector of a text is bitwise identical whatever else is in the batch, on any number of threads.
class Encoder {
 public:
  /// Throws Error (exit 4) that names the file and the problem.
  explicit Encoder(const std::filesystem::path& folder);

  /// Returns [CLS], the word pieces and [SEP], truncated to the maximum length.
  std::vector<int32_t> tokens(const std::string& text) const;

  /// Returns a vector [hidden_size] for each text, not normalized; zeros for a text without word pieces.
  std::vector<std::vector<float>> embed(const std::vector<std::string>& texts);

 private:
  struct Norm {
    at::Tensor weight, bias;
  };
  struct Dense {
    kernels::Weight weight;
    at::Tensor bias;
  };
  struct Layer {
    Dense query, key, value, attention_out;
    Norm attention_norm;
    Dense intermediate, out;
    Norm norm;
  };
  at::Tensor forward(const std::vector<int32_t>& tokens, const std::vector<kernels::RowRange>& texts);
  at::Tensor pass(Layer& layer, const at::Tensor& x, const std::vector<kernels::RowRange>& spans);

  Recipe recipe_;
  BertConfig config_;
  language::WordPieces pieces_;
  size_t most_tokens_;
  at::Tensor words_, places_;  // `places_`: position embeddings plus the token type embedding of the first sentence
  Norm norm_;
  std::vector<Layer> layers_;
};

/// Returns names (those of BertModel) and shapes of the weights, in the order in which they are used.
std::vector<decoder::Entry> entries(const BertConfig& config);

}  // namespace compeer::sentence_encoder
