// Compares a run's tokenizer with the model's own.
#include "inference/check_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/json.h"
#include "base/model_folder.h"
#include "language/tokenizer.h"
#include "spec/text.h"

namespace compeer::inference {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using language::Tokenizer;

std::string path_at(const json& model, const char* pointer) {
  const json found = model.value(json::json_pointer(pointer), json());
  return found.is_string() ? found.get<std::string>() : "";
}

bool holds_tokenizer(const fs::path& folder) {
  return fs::exists(folder / "tokenizer.json") || fs::exists(folder / "vocab.json");
}

std::string token(const Tokenizer& tokenizer, int32_t id) {
  return spec::printable(std::string(tokenizer.bytes(id, true)), 40);
}

// Describes how `used` differs from `own`; "" if it doesn't.
std::string difference(const Tokenizer& used, const Tokenizer& own) {
  const auto less = std::min(used.size(), own.size()), more = std::max(used.size(), own.size());
  for (int32_t id = 0; id < less; ++id) {
    if (!used.has_id(id) || !own.has_id(id) || used.bytes(id, true) == own.bytes(id, true)) continue;
    return fmt::format("token {} is '{}', but '{}' in the model's own tokenizer", id, token(used, id), token(own, id));
  }
  return more > 2 * less ? fmt::format("it has {} tokens, the model's own tokenizer has {}", used.size(), own.size())
                         : "";
}

}  // namespace

void check_tokenizer(const json& model) {
  const auto named = path_at(model, "/tokenizer"), path = path_at(model, "/path");
  const auto adapter = path_at(model, "/adapter/path"), used = named.empty() ? path : named;
  if (model.value("foreign_tokenizer", false) || used.empty() || (path.empty() && adapter.empty())) return;
  for (const auto& folder : {path, adapter}) {
    if (!folder.empty() && !fs::exists(folder)) return;  // an earlier run of the script will make it
  }
  if (!holds_tokenizer(used)) return;
  const fs::path weights = base_model(path.empty() ? adapter : path);
  const char* help = "set model.foreign_tokenizer = true to train the model with another tokenizer";
  for (const fs::path& own : {fs::path(adapter), fs::path(path), weights}) {
    if (own.empty() || !holds_tokenizer(own)) continue;
    std::error_code missing;
    if (fs::equivalent(own, used, missing)) return;
    const auto why = difference(Tokenizer::load(used), Tokenizer::load(own));
    if (why.empty()) return;
    throw Error("model.tokenizer",
                fmt::format("the tokenizer in {} is not that of the model in {}: {}", used, own.string(), why),
                fmt::format("{}, or {}", own == path ? "remove model.tokenizer" : "set it to " + own.string(), help),
                Exit::spec);
  }
  const json config = read_json_object(weights / "config.json");
  const auto rows = config.value("text_config", config).value("vocab_size", int64_t{0});
  if (const auto tokens = Tokenizer::load(used).size(); rows > 2 * tokens)
    throw Error("model.tokenizer",
                fmt::format("the tokenizer in {} has {} tokens, but the model in {} was trained with {}", used, tokens,
                            weights.string(), rows),
                fmt::format("set it to the tokenizer that the model was trained with, or {}", help), Exit::spec);
}

}  // namespace compeer::inference
