// Opens the plugins of a run and connects them: tokenizer, embeddings and chat services that plugins may use.
#include "train/run_plugins.h"

#include <fmt/format.h>

#include "base/error.h"
#include "comm/phase.h"
#include "compeer/formed_dataset.h"
#include "inference/check_tokenizer.h"
#include "inference/device.h"
#include "inference/language_model.h"
#include "inference/services.h"

namespace compeer::train {

using nlohmann::json;

std::vector<int32_t> PolicyTokenizer::encode(const std::string& text) const { return tokenizer_.encode(text); }

std::string PolicyTokenizer::decode(std::span<const int32_t> tokens) const {
  return tokenizer_.decode({tokens.begin(), tokens.end()});
}

RunPlugins::RunPlugins(const json& spec_file, const std::optional<std::filesystem::path>& checkpoint,
                       const comm::StopFlag& stop, int rank, const std::optional<std::filesystem::path>& answers)
    : services_(inference::services_of(spec_file, stop, rank)) {
  if (answers) {
    answers_.emplace(*answers, [this](const std::string& line) { services_.log("chat", line); });
    services_.answers = &*answers_;
  }
  // An external service may take long to answer. A plugin that polls `cancelled` has not hung, so this counts as
  // progress.
  services_.cancelled = [this, &stop] { return comm::mark_progress(), stop.raised() || given_up_; };
  const json& spec = spec_file.at("spec");
  dataset_ = open<Dataset>("datasets", spec.at("dataset"));
  if (const auto* formed = dynamic_cast<const FormedDataset*>(&dataset_->object()))
    form_ = dataset_->call("form", [&](Dataset&) { return formed->form(); });
  open_model(spec.at("model"), checkpoint);
  if (spec.contains("rewards")) open_rewards(spec);
}

RunPlugins::~RunPlugins() = default;

template <class T>
std::unique_ptr<plugin::Plugin<T>> RunPlugins::open(const char* kind, const json& table) {
  const auto choice = services_.find(kind, table.at("plugin").get<std::string>());
  const comm::Phase here("open plugins", choice.kind + "/" + choice.name);
  return std::make_unique<plugin::Plugin<T>>(
      plugin::open<T>(choice, Settings(table), std::make_unique<plugin::RunHost>(choice, services_)));
}

void RunPlugins::open_model(json table, const std::optional<std::filesystem::path>& checkpoint) {
  const json& named = table.at("tokenizer").is_null() ? table.value("path", json()) : table.at("tokenizer");
  if (named.is_null())
    throw Error("model", "sets neither 'tokenizer' nor 'path'", "set model.tokenizer to a tokenizer folder",
                Exit::spec);
  if (!checkpoint) inference::check_tokenizer(table);
  tokenizer_ = std::make_unique<language::Tokenizer>(language::Tokenizer::load(named.get<std::string>()));
  chat_ = std::make_unique<language::Chat>(*tokenizer_);
  table["end_token"] = tokenizer_->end_token();
  const std::string folder = table.value("path", json()).is_string() ? table.at("path").get<std::string>() : "";
  if (checkpoint) {
    table["path"] = checkpoint->string();
  } else if (table.contains("config") && table.at("config").is_object()) {
    table["config"]["vocab_size"] = tokenizer_->size();
  }
  if (table.contains("device")) table["device"] = inference::device_in_use();
  model_ = open<Model>("models", table);
  vision_input_ = std::make_unique<inference::VisionInput>(folder, *model_);
  model_->call("head", [&](Model& model) { policy_ = std::make_unique<rollout::Policy>(model); });
  if (const auto shape = model_->call("shape", [](Model& m) { return m.shape(); });
      shape.vocabulary < tokenizer_->size()) {
    throw Error(
        "model",
        fmt::format("has a vocabulary of {} tokens, but its tokenizer has {}", shape.vocabulary, tokenizer_->size()),
        "use the tokenizer that the model was trained with", Exit::data);
  }
  services_.tokenizer = &text_tokenizer_.emplace(*tokenizer_);
  services_.embed = [this](const std::vector<std::string>& texts) {
    return inference::embeddings(*model_, *tokenizer_, texts);
  };
}

void RunPlugins::open_rewards(const json& spec) {
  for (const json& table : spec.at("rewards")) {
    auto opened = open<Reward>("rewards", table);
    auto names = plugin::columns(*opened);
    const bool is_async = opened->call("is_async", [](const Reward& r) { return r.is_async(); });
    const bool learns = opened->call("state", [](const Reward& r) { return !r.state().is_null(); });
    const auto label =
        table.at("label").is_null() ? table.at("plugin").get<std::string>() : table.at("label").get<std::string>();
    grpo::Shaping shaping;
    if (!table.at("floor").is_null()) shaping.floor = table.at("floor").get<double>();
    if (!table.at("ceiling").is_null()) shaping.ceiling = table.at("ceiling").get<double>();
    shaping.truncated_factor = table.at("truncated_factor").get<double>();
    if (!table.at("cosine_length").is_null())
      shaping.cosine = {table.at("cosine_length").get<int64_t>(), table.at("right_above").get<double>()};
    // Other people's plugins may declare the setting by its name in the version before.
    const auto unreadable = table.value("max_unreadable", table.value("most_unreadable", 1.0));
    rewards_.push_back({label, table.at("weight").get<double>(), shaping, std::move(*opened), std::move(names),
                        unreadable, is_async, learns});
  }
  reweighting_ = open<Reweighting>("reweighting", spec.at("reweighting"));
  for (const auto& name : plugin::factors(*reweighting_))
    factors_.push_back(reweighting_->identity().name + "/" + name);
}

int64_t RunPlugins::records(const std::string& split) { return plugin::records_in(*dataset_, split, "the run"); }

Example RunPlugins::record(const std::string& split, int64_t index) {
  return dataset_->call("get", [&](Dataset& d) { return d.get(split, index); });
}

}  // namespace compeer::train
