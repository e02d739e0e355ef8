#pragma once
#include <string>
#include <vector>

#include "compeer/model.h"
#include "language/tokenizer.h"
#include "plugin/open.h"

namespace compeer::inference {

/// What the model makes of each text by itself, as Host::embed promises it: the mean of the hidden states of its
/// tokens, one text of a batch not seeing another. No gradient.
std::vector<std::vector<float>> embeddings(plugin::Plugin<Model>& model, const language::Tokenizer& tokenizer,
                                           const std::vector<std::string>& texts);

}  // namespace compeer::inference
