#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace compeer::decoder {

/// How positions become angles: base frequencies theta^(-2i/dim), and how they were stretched for longer contexts
/// than those a model first learned. Keys are config.json's.
struct Rope {
  explicit Rope(double base = 10000.0) : theta(base) {}

  double theta;
  std::string type = "default";   ///< or linear, llama3, yarn
  std::vector<int64_t> sections;  ///< of a model that sees pictures: frequencies for time, height and width
  double factor = 1.0;            ///< all but default
  int64_t original = 0;           ///< original_max_position_embeddings: llama3 and yarn
  double low_freq_factor = 1.0, high_freq_factor = 4.0;  ///< llama3
  double beta_fast = 32.0, beta_slow = 1.0;              ///< yarn
  double magnitude = 1.0;                                ///< yarn: factor of cosines and sines
  bool truncate = true;                                  ///< yarn: its borders are whole numbers
};

/// Angle per position of each of the dim / 2 pairs, in float32 steps as transformers takes them.
std::vector<float> frequencies(const Rope& rope, int64_t dim);

/// yarn's factor of cosines and sines for contexts that are `factor` times as long.
double yarn_magnitude(double factor, double scale = 1.0);

}  // namespace compeer::decoder
