#pragma once
#include <vector>

#include "compeer/model.h"

namespace compeer::decoder {

/// Parameters of the host as a device keeps them: their `value` is there, and `host` what they were. Matrices are
/// rounded to bfloat16 for `pairs`; the gradients of those that train are float32 all the same. Frozen ones of one
/// tensor share the copy, as models that stand on one base do.
std::vector<Parameter> on_device(std::vector<Parameter> parameters, at::Device device, bool pairs);

}  // namespace compeer::decoder
