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

/// A BERT-class encoder from a folder: text to vector. It is only read, in float32 by the exact kernels, so a text has
/// the same vector whatever is encoded with it, on any number of threads.
class Encoder {
 public:
  /// Throws Error (exit 4) naming the file and what does not fit.
  explicit Encoder(const std::filesystem::path& folder);

  /// [CLS], pieces, [SEP], cut to the longest text that the folder allows.
  std::vector<int32_t> tokens(const std::string& text) const;

  /// [hidden_size] each; zeros for a text without pieces. Not brought to length 1.
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
  at::Tensor words_, places_;  // the latter with what says that a text is the first of a pair
  Norm norm_;
  std::vector<Layer> layers_;
};

/// Names, as BertModel saves them, and shapes of the weights, in the order in which they are used.
std::vector<decoder::Entry> entries(const BertConfig& config);

}  // namespace compeer::sentence_encoder
