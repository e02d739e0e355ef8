#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gguf/gguf.h"

namespace compeer::gguf {

/// A tensor of the Hugging Face model and the GGUF tensor that contains its values.
struct TensorPlace {
  std::string name;            ///< Hugging Face name: "model.layers.0.self_attn.q_proj.weight"
  const GgufTensor* stored;    ///< GGUF tensor, here blk.0.attn_q.weight; owned by the GgufFile
  int64_t permuted_heads = 0;  ///< number of heads whose rows are interleaved (see source_row); 0: rows are in order
};

/// The model of a GGUF file in Hugging Face terms.
struct ModelLayout {
  nlohmann::ordered_json config;  ///< contents of config.json
  std::vector<TensorPlace> tensors;
};

/// Returns the layout of a model of the architectures llama, mistral, qwen2 and qwen3. It refers to tensors of `file`.
/// Throws Error (exit 4) for other architectures, for unsupported variants of these, for tensors that are missing,
/// unexpected or of the wrong shape (listing all of them), and for RoPE factors that config.json can't express.
ModelLayout model_layout(const GgufFile& file);

/// Returns the row of the GGUF tensor that contains row `row` of the Hugging Face tensor, for files of architecture
/// llama. These store the two halves of each head interleaved, because ggml rotates neighbouring elements: with D =
/// `rows_of_head`, row j + s D / 2 (s = 0 or 1) of a head is its row 2 j + s in the file.
int64_t source_row(int64_t row, int64_t rows_of_head);

}  // namespace compeer::gguf
