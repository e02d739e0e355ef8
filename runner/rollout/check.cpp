#include "rollout/check.h"

#include <fmt/format.h>

namespace compeer::rollout {

namespace {

std::string name_of(uint32_t prompt) { return fmt::format("prompt {}", prompt); }

}  // namespace

int64_t check(const Prompt& prompt, const ModelShape& shape, int64_t room) {
  const auto where = name_of(prompt.index);
  const int64_t length = (prompt.after ? prompt.after->size() : 0) + static_cast<int64_t>(prompt.tokens.size());
  if (length == 0) throw Error(where, "is empty", "a model continues at least one token", Exit::data);
  for (const int32_t id : prompt.tokens) {
    if (id >= 0 && id < shape.vocabulary) continue;
    throw Error(where, fmt::format("token id {} is outside the vocabulary of {}", id, shape.vocabulary), "",
                Exit::data);
  }
  if (length + room > shape.positions) {
    throw Error(where,
                fmt::format("has {} tokens{}, the model has room for {}", length,
                            length <= shape.positions ? " and needs one more" : "", shape.positions),
                "shorten it, or raise max_position_embeddings in the model's config.json", Exit::data);
  }
  return length;
}

Error not_finite(uint32_t prompt) {
  return {name_of(prompt), "the model computes numbers that are not finite",
          "its weights are damaged, or training went astray", Exit::data};
}

}  // namespace compeer::rollout
