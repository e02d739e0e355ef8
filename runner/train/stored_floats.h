#pragma once
#include <string>
#include <vector>

#include "record/safetensors.h"

namespace compeer::train {

/// One flat array as a tensor of a file, and back. Another length there is an Error (exit 4).
record::TensorView stored_floats(const std::string& name, const std::vector<float>& values);
void read_floats(const record::Safetensors& file, const std::string& name, std::vector<float>& values);

}  // namespace compeer::train
