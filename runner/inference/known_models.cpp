#include "inference/known_models.h"

#include "base/json.h"
#include "base/model_folder.h"
#include "language/tokenizer.h"
#include "record/adapter.h"

namespace compeer::inference {

using nlohmann::json;

namespace {

bool has(const json& table, const char* key) { return table.contains(key) && !table.at(key).is_null(); }

// Sizes of a fresh model.
json fresh(const json& table) {
  json config = table.at("config");
  config["model_type"] = table.at("plugin");
  if (!config.contains("vocab_size"))
    config["vocab_size"] = language::Tokenizer::load(table.at("tokenizer").get<std::string>()).size();
  return config;
}

}  // namespace

KnownModel KnownModels::of(const json& table) const {
  KnownModel known;
  if (has(table, "path")) {
    known = in(table.at("path").get<std::string>());
  } else if (has(table, "config")) {
    known.size = model_size(fresh(table), "model.config");
  }
  if (!has(table, "adapter")) return known;
  const json& adapter = table.at("adapter");
  if (!has(adapter, "path")) {
    known.adapter_rank = adapter.at("rank").get<int64_t>();
    return known;
  }
  const auto started = in(adapter.at("path").get<std::string>());
  if (!has(table, "path")) known.size = started.size, known.base = started.base;
  known.adapter_rank = started.adapter_rank;
  return known;
}

KnownModel KnownModels::in(const std::string& folder) const {
  if (const auto* table = planned(folder)) {
    auto known = of(*table);
    if (known.adapter_rank == 0) known.base = folder, known.size.half = false;  // as checkpoints are written
    return known;
  }
  const auto base = base_model(folder);
  KnownModel known{model_size(read_json_object(base / "config.json"), (base / "config.json").string()), 0,
                   base.string()};
  if (holds_adapter(folder)) known.adapter_rank = record::read_adapter_config(folder).rank;
  return known;
}

const json* KnownModels::planned(const std::string& folder) const {
  for (const auto& [made, table] : planned_.items()) {
    if (folder == made || folder.starts_with(made + "/")) return &table;
  }
  return nullptr;
}

}  // namespace compeer::inference
