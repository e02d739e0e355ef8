#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gguf/gguf.h"

namespace compeer::gguf {

/// A tensor in Hugging Face's terms, and where it is in the GGUF file.
struct TensorPlace {
  std::string name;            ///< "model.layers.0.self_attn.q_proj.weight"
  const GgufTensor* stored;    ///< blk.0.attn_q.weight
  int64_t permuted_heads = 0;  ///< the rows of so many heads are to be put back (source_row); 0: all is in order
};

/// What a file's model is in Hugging Face's terms: config.json, and its tensors.
struct ModelLayout {
  nlohmann::ordered_json config;
  std::vector<TensorPlace> tensors;
};

/// Of the architectures llama, mistral, qwen2 and qwen3. Throws Error (exit 4) for others, for what a model of these
/// may not have, for tensors that are missing, unexpected or of another shape (all of them at once), and for rotary
/// factors that config.json can't say.
ModelLayout model_layout(const GgufFile& file);

/// Files of architecture llama store the two halves of each head interleaved, for a rotation of neighbours. The row of
/// the file that is row `row` here: of D rows of a head, row j + s D / 2 (s = 0 or 1) is row 2 j + s there.
int64_t source_row(int64_t row, int64_t rows_of_head);

}  // namespace compeer::gguf
