#include "text_model.h"

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "config.h"
#include "weights.h"

namespace compeer::decoder {

namespace {

using nlohmann::json;

std::function<double(uint32_t, uint32_t)> normal(Host& host) {
  return [&host](uint32_t i, uint32_t j) {
    const double u = 1.0 - host.random(i, j, 0), angle = 2 * std::numbers::pi * host.random(i, j, 1);
    return std::sqrt(-2.0 * std::log(u)) * std::cos(angle);  // Box-Muller
  };
}

}  // namespace

TextModel::TextModel(const Family& family, const Settings& settings, Host& host)
    : family_(family), end_token_(settings.json().value("end_token", int64_t{-1})) {
  Use use(settings);
  if (settings.has("path")) {
    from_folder(settings.text("path"), std::move(use));
  } else if (settings.has("config")) {
    Family divided = family_;
    divided.head_dim = 0;
    const TextConfig config = read_config(divided, settings.table("config").json(), "model.config", Exit::spec);
    config_ = write_config(config, end_token_);
    decoder_ = std::make_unique<Decoder>(config, fresh(config, normal(host)), std::move(use));
  } else {
    throw std::runtime_error("needs `path`, a model folder, or `config`, the sizes of a fresh model");
  }
}

void TextModel::from_folder(const std::filesystem::path& folder, Use use) {
  const std::string where = (folder / "config.json").string();
  config_ = read_config_file(folder);
  if (const auto type = config_.value("model_type", json(family_.model_type)); type != family_.model_type) {
    throw Error(where, "model_type is " + type.dump() + "; this plugin reads \"" + family_.model_type + "\"",
                "plugin = \"auto\" takes the one that reads it", Exit::data);
  }
  generation_ = read_generation_config(folder);
  const TextConfig config = read_config(family_, config_, where);
  const Store store(folder, use.keeping);
  store.check(entries(config));
  if (use.keeping.frozen) use.release = store.release();
  decoder_ = std::make_unique<Decoder>(config, store.take(entries(config)), std::move(use));
}

at::Tensor TextModel::forward(const Batch& batch, Cache* cache) {
  return decoder_->forward(batch.embedded.defined() ? batch.embedded : embed(batch), batch, cache);
}

std::vector<at::Tensor> TextModel::hidden_states(const Batch& batch) {
  std::vector<at::Tensor> states;
  decoder_->forward(embed(batch), batch, nullptr, &states);
  return states;
}

void TextModel::save(const std::string& folder) {
  decoder::save(decoder_->stored(), folder);
  save_config(config_, generation_, decoder_->stored_type(), end_token_, folder);
}

}  // namespace compeer::decoder
