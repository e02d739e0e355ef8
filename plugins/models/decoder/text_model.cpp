// Loads or creates a text model as the settings say, and saves it.
#include "text_model.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "base/error.h"
#include "base/machine.h"
#include "base/model_folder.h"
#include "config.h"
#include "weights.h"

namespace compeer::decoder {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Returns standard normal random numbers for fresh weights.
std::function<double(uint32_t, uint32_t)> normal(Host& host) {
  return [&host](uint32_t i, uint32_t j) {
    const double u = 1.0 - host.random(i, j, 0), angle = 2 * std::numbers::pi * host.random(i, j, 1);
    return std::sqrt(-2.0 * std::log(u)) * std::cos(angle);  // Box-Muller
  };
}

// Checked before weights are allocated: a typing error in a size could use up the machine's memory.
void check_room(const TextConfig& config) {
  double bytes = 0;
  for (const Entry& entry : entries(config))
    bytes += std::accumulate(entry.shape.begin(), entry.shape.end(), double{sizeof(float)}, std::multiplies());
  const auto free = static_cast<double>(this_machine().free);
  constexpr double gib = 1 << 30;
  if (free > 0 && bytes > free)
    throw Error(
        "model.config",
        fmt::format("is a model of {:.1f} GiB, but only {:.1f} GiB of memory are free", bytes / gib, free / gib),
        "check its sizes", Exit::spec);
}

}  // namespace

TextModel::TextModel(const Family& family, const Settings& settings, Host& host)
    : family_(family), end_token_(settings.json().value("end_token", int64_t{-1})) {
  if (settings.has("path")) {
    from_folder(settings.text("path"), settings, host);
    return;
  }
  if (settings.has("adapter"))
    throw Error("model.adapter", "requires an existing model", "set model.path to its folder");
  if (!settings.has("config"))
    throw std::runtime_error("requires 'path', a model folder, or 'config', the sizes of a new model");
  Family divided = family_;
  divided.head_dim = 0;
  const TextConfig config = read_config(divided, settings.table("config").json(), "model.config", Exit::spec);
  check_room(config);
  config_ = write_config(config, end_token_);
  decoder_ = std::make_unique<Decoder>(config, fresh(config, normal(host)), ComputeOptions(settings));
}

void TextModel::from_folder(const fs::path& folder, const Settings& settings, Host& host) {
  const bool own = holds_adapter(folder), adapted = own || settings.has("adapter");
  ComputeOptions use(settings, adapted, own ? trained_over(folder) : "");
  const auto base = base_model(folder);
  const std::string where = (base / "config.json").string();
  config_ = read_config_file(base);
  if (const auto type = config_.value("model_type", json(family_.model_type)); type != family_.model_type) {
    throw Error(where,
                "model_type is " + type.dump() + ", but this plugin supports only \"" + family_.model_type + "\"",
                "set plugin = \"auto\" to select the right plugin", Exit::data);
  }
  generation_ = read_generation_config(base);
  const TextConfig config = read_config(family_, config_, where);
  const Store store(base, use.storage);
  store.check(entries(config));
  if (use.storage.frozen) use.release = store.release();
  auto weights = store.take(entries(config));
  precision_ = use.storage.precision;
  if (use.storage.frozen) fingerprint_ = store.fingerprint(entries(config));
  auto adapter = open_adapter(config, folder, settings, fingerprint_, host);
  decoder_ = std::make_unique<Decoder>(config, std::move(weights), std::move(use), std::move(adapter));
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
  if (const Adapter* adapter = decoder_->adapter()) {
    adapter->save(folder, fingerprint_, precision_);
    return save_generation_config(generation_, end_token_, folder);
  }
  decoder::save(decoder_->stored(), folder);
  save_config(config_, generation_, decoder_->stored_type(), end_token_, folder);
}

}  // namespace compeer::decoder
