#pragma once
#include "inference/model_size.h"

namespace compeer::train {

/// What a run computes, on all ranks together, by arithmetic.
struct RunWork {
  double operations = 0;  ///< of products and attention; a product and a sum are two
  double streamed = 0;    ///< bytes of weights and of keys and values that are read while single tokens are generated

  RunWork& operator+=(const RunWork& other) {
    operations += other.operations;
    streamed += other.streamed;
    return *this;
  }
};

/// Of one pass over texts of a length, in tokens.
double operations_of(const inference::ModelSize& size, double texts, double length);

/// Of learning from them: forward, the gradients of what a layer is given, and those of its weights, if they learn.
struct LearningPass {
  bool adapter = false;     ///< the weights stay as they are
  bool recomputed = false;  ///< a second pass forward
};
double operations_of(const inference::ModelSize& size, double texts, double length, const LearningPass& how);

/// Of generating texts behind prompts that are read once for `group` of them; `together` at once.
RunWork work_of(const inference::ModelSize& size, double texts, double group, double prompt, double length,
                double together, double bytes_of_a_weight);

}  // namespace compeer::train
