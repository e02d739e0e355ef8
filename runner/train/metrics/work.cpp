#include "train/metrics/work.h"

#include <algorithm>
#include <cmath>

namespace compeer::train {

double operations_of(const inference::ModelSize& size, double texts, double length) {
  const auto& shape = size.shape;
  // Each token with half of the others: two products as wide as the heads together.
  const double attention = 4 * static_cast<double>(shape.layers * shape.hidden) * length / 2;
  return texts * length * (2 * static_cast<double>(size.multiplied()) + attention);
}

double operations_of(const inference::ModelSize& size, double texts, double length, const LearningPass& how) {
  return (2.0 + !how.adapter + how.recomputed) * operations_of(size, texts, length);
}

RunWork work_of(const inference::ModelSize& size, double texts, double group, double prompt, double length,
                double together, double bytes_of_a_weight) {
  const auto& shape = size.shape;
  const double attention = 4 * static_cast<double>(shape.layers * shape.hidden) * (prompt + length / 2);
  const double pass = bytes_of_a_weight * static_cast<double>(size.multiplied());
  const double position = 2 * bytes_of_a_weight * static_cast<double>(shape.layers * shape.kv_heads * shape.head_dim);
  return {operations_of(size, texts / group, prompt) +
              texts * length * (2 * static_cast<double>(size.multiplied()) + attention),
          length * (std::ceil(texts / together) * pass + texts * position * (prompt + length / 2))};
}

}  // namespace compeer::train
