#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gguf/gguf.h"

// The first half of an import: converts the description of a model in a GGUF file to the terms of Hugging Face's
// library transformers, without reading weights.

namespace compeer::gguf {

/// A tensor of the Hugging Face model and the GGUF tensor that contains its values.
struct TensorPlace {
  std::string name;            ///< Hugging Face name: "model.layers.0.self_attn.q_proj.weight"
  const GgufTensor* stored;    ///< GGUF tensor with its values, here blk.0.attn_q.weight; owned by the GgufFile
  int64_t permuted_heads = 0;  ///< number of attention heads, if their rows are interleaved (`source_row`); 0: in order
};

/// The model of a GGUF file in Hugging Face terms.
struct ModelLayout {
  nlohmann::ordered_json config;     ///< contents of config.json
  std::vector<TensorPlace> tensors;  ///< all tensors of the model
};

/// Returns the layout of a model of the architectures llama, mistral, qwen2 and qwen3. It refers to tensors of `file`.
/// Throws Error (exit code 4: not supported or invalid) for other architectures, for unsupported variants of these, for
/// tensors that are missing, unexpected or of the wrong shape (listing all of them), and for RoPE factors that
/// config.json can't express.
ModelLayout model_layout(const GgufFile& file);

/// Returns the row of the GGUF tensor that contains row `row` of the Hugging Face tensor, for files of architecture
/// llama. These store the two halves of each head interleaved, because ggml rotates neighbouring elements: with D =
/// `rows_of_head`, row j + s D / 2 (s = 0 or 1) of a head is its row 2 j + s in the file.
int64_t source_row(int64_t row, int64_t rows_of_head);

}  // namespace compeer::gguf
