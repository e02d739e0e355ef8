// LoRA adapters: creating, loading, checking, saving.
#include "adapter.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/model_folder.h"
#include "decoder.h"
#include "record/adapter.h"
#include "record/safetensors.h"

namespace compeer::decoder {

namespace {

namespace fs = std::filesystem;

// Matches a pattern in which "*" stands for any text.
bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*')
    return !text.empty() && pattern.front() == text.front() && matches(pattern.substr(1), text.substr(1));
  for (size_t i = 0; i <= text.size(); ++i) {
    if (matches(pattern.substr(1), text.substr(i))) return true;
  }
  return false;
}

// "model.layers.0.self_attn.q_proj.weight" -> its module, without ".weight", and the module's last part, "q_proj".
std::string module_of(const std::string& weight) { return weight.substr(0, weight.rfind('.')); }
std::string end_of(const std::string& weight) {
  const auto module = module_of(weight);
  return module.substr(module.rfind('.') + 1);
}

bool is_target(const std::string& weight, const std::vector<std::string>& targets) {
  const auto module = module_of(weight);
  return std::any_of(targets.begin(), targets.end(), [&](const std::string& target) {
    return matches(target, module) || matches("*." + target, module);
  });
}

// Returns the weights that `targets` names; throws Error for a target without any.
std::vector<Entry> targeted(const TextConfig& model, const std::vector<std::string>& targets) {
  const auto all = projections(model);
  for (const std::string& target : targets) {
    if (std::any_of(all.begin(), all.end(), [&](const Entry& entry) { return is_target(entry.name, {target}); }))
      continue;
    std::vector<std::string> known;
    for (const Entry& entry : all) {
      const auto name = end_of(entry.name);
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
    throw Error("model.adapter.targets", "the model has no projection '" + target + "'", suggest(target, known));
  }
  std::vector<Entry> chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
               [&](const Entry& entry) { return is_target(entry.name, targets); });
  return chosen;
}

// Returns the name of a weight as peft writes it.
std::string name_for_others(const TextConfig& model, const std::string& weight) {
  return model.family.has_vision ? record::language_model_name(weight) : weight;
}

// Returns the adapted modules for target_modules: their last parts if every layer has them, otherwise full names. With
// a vision tower always full names, because the tower has modules with the same last parts.
std::vector<std::string> plain_targets(const TextConfig& model, const std::vector<Adapter::Change>& changes) {
  std::map<std::string, int64_t> layers;
  for (const auto& change : changes) ++layers[end_of(change.weight)];
  std::vector<std::string> ends, names;
  for (const auto& [end, count] : layers) ends.push_back(end);
  for (const auto& change : changes) names.push_back(module_of(name_for_others(model, change.weight)));
  const bool whole = !model.family.has_vision && std::all_of(layers.begin(), layers.end(), [&](const auto& one) {
    return one.second == model.num_hidden_layers;
  });
  return whole ? ends : names;
}

// Returns a trainable float32 copy.
at::Tensor taken(const record::TensorView& view) {
  at::Tensor value = at::empty(view.shape, at::kFloat);
  const at::ScalarType type = type_of(view.dtype);
  at::Tensor stored = at::empty(view.shape, type);
  std::copy(view.bytes.begin(), view.bytes.end(), static_cast<std::byte*>(stored.data_ptr()));
  return value.copy_(stored).set_requires_grad(true);
}

bool finite(const at::Tensor& value) {
  const auto* first = value.const_data_ptr<float>();
  return std::all_of(first, first + value.numel(), [](float number) { return std::isfinite(number); });
}

}  // namespace

AdapterConfig adapter_settings(const Settings& settings) {
  AdapterConfig config;
  config.rank = settings.integer("rank");
  config.alpha = settings.number("alpha");
  config.rslora = settings.flag("rslora");
  config.targets = settings.texts("targets");
  if (config.targets.empty())
    throw Error("model.adapter.targets", "contains no projection",
                "name some, such as q_proj and v_proj, or * for all of them");
  return config;
}

std::vector<Entry> projections(const TextConfig& config) {
  std::vector<Entry> all;
  for (Entry& entry : entries(config)) {
    if (entry.shape.size() == 2 && entry.name.starts_with("model.layers.")) all.push_back(std::move(entry));
  }
  return all;
}

Adapter::Adapter(const TextConfig& model, AdapterConfig config,
                 const std::function<double(uint32_t, uint32_t)>& uniform)
    : config_(std::move(config)) {
  uint32_t index = 0;
  for (const Entry& entry : targeted(model, config_.targets)) {
    const int64_t out = entry.shape[0], in = entry.shape[1];
    if (config_.rank > std::min(out, in))
      throw Error(
          "model.adapter.rank",
          "is " + std::to_string(config_.rank) + ", but " + module_of(entry.name) + " is " + shape_text(entry.shape),
          "choose a rank up to the smaller side; 8 to 64 are usual");
    at::Tensor a = at::empty({config_.rank, in}, at::kFloat), b = at::zeros({out, config_.rank}, at::kFloat);
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    auto* values = static_cast<float*>(a.data_ptr());
    for (int64_t j = 0; j < a.numel(); ++j)
      values[j] = static_cast<float>(bound * (2 * uniform(index, static_cast<uint32_t>(j)) - 1));
    const auto names = record::lora_names(name_for_others(model, entry.name));
    changes_.push_back({entry.name, {names.a, a.set_requires_grad(true)}, {names.b, b.set_requires_grad(true)}});
    ++index;
  }
  config_.targets = plain_targets(model, changes_);
}

Adapter::Adapter(const TextConfig& model, const fs::path& folder, const std::string& own_fingerprint)
    : config_(record::read_adapter_config(folder)) {
  const auto file = record::Safetensors::open(folder / record::adapter_weights);
  Misfits misfits;
  std::set<std::string> known;
  for (const Entry& entry : projections(model)) {
    const auto [a, b] = record::lora_names(file, entry.name);
    known.insert({a, b});
    if (!file.has(a) && !file.has(b)) continue;
    const auto fits = [&](const std::string& name, const std::vector<int64_t>& shape) {
      file.has(name) ? misfits.check(name, file.tensor(name), shape) : misfits.missing(name, shape);
    };
    fits(a, {config_.rank, entry.shape[1]}), fits(b, {entry.shape[0], config_.rank});
    if (!misfits.empty()) continue;
    changes_.push_back({entry.name, {a, taken(file.tensor(a))}, {b, taken(file.tensor(b))}});
    for (const Parameter& one : {changes_.back().a, changes_.back().b}) {
      if (!finite(one.value)) misfits.not_finite(one.name);
    }
  }
  for (const std::string& name : file.names()) {
    if (!known.contains(name)) misfits.unexpected(name);
  }
  const std::string help = config_.base.empty() ? "" : "it was trained for " + config_.base + ": use that model";
  if (!misfits.empty())
    throw Error(folder.string(), "the adapter does not fit the model:" + misfits.text(), help, Exit::data);
  if (changes_.empty()) throw Error(folder.string(), "the adapter has no tensor", help, Exit::data);
  const auto made_for = file.metadata().find("base_fingerprint");
  if (made_for != file.metadata().end() && !own_fingerprint.empty() && made_for->second != own_fingerprint)
    throw Error(folder.string(), "the adapter was trained for a model with other weights", help, Exit::data);
  config_.targets = plain_targets(model, changes_);
}

void Adapter::check(const TextConfig& model, const AdapterConfig& settings) const {
  const auto wanted = targeted(model, settings.targets);
  const bool same = std::equal(wanted.begin(), wanted.end(), changes_.begin(), changes_.end(),
                               [](const Entry& entry, const Change& change) { return entry.name == change.weight; });
  if (!same || settings.rank != config_.rank || settings.alpha != config_.alpha || settings.rslora != config_.rslora)
    throw Error("model.adapter", "differs from the adapter in model.path",
                "leave it out to train that adapter further, or set model.path to its base model to start another");
}

const Adapter::Change* Adapter::find(const std::string& weight) const {
  const auto found =
      std::find_if(changes_.begin(), changes_.end(), [&](const Change& change) { return change.weight == weight; });
  return found == changes_.end() ? nullptr : &*found;
}

std::vector<Parameter> Adapter::parameters() const {
  std::vector<Parameter> all;
  for (const Change& change : changes_) {
    all.push_back(change.a);
    all.push_back(change.b);
  }
  return all;
}

void Adapter::move_to(at::Device device) {
  const auto moved = on_device(parameters(), device, false);
  for (size_t i = 0; i < changes_.size(); ++i) changes_[i].a = moved[2 * i], changes_[i].b = moved[2 * i + 1];
}

std::unique_ptr<Adapter> open_adapter(const TextConfig& model, const fs::path& folder, const Settings& settings,
                                      const std::string& fingerprint, Host& host) {
  const auto table = settings.has("adapter") ? std::optional(settings.table("adapter")) : std::nullopt;
  const bool own = holds_adapter(folder);
  if (!own && !table) return nullptr;
  if (!own && !table->has("path")) {
    AdapterConfig wanted = adapter_settings(*table);
    wanted.base = fs::absolute(folder).lexically_normal().string();
    return std::make_unique<Adapter>(model, std::move(wanted),
                                     [&host](uint32_t i, uint32_t j) { return host.random(i, j, 2); });
  }
  auto adapter = std::make_unique<Adapter>(model, own ? folder : fs::path(table->text("path")), fingerprint);
  if (own && table && !table->has("path")) adapter->check(model, adapter_settings(*table));
  adapter->set_base(fs::absolute(base_model(folder)).lexically_normal().string());
  return adapter;
}

std::string trained_over(const fs::path& folder) {
  const auto file = record::Safetensors::open(folder / record::adapter_weights);
  const auto found = file.metadata().find("base_precision");
  if (found == file.metadata().end()) return "";
  constexpr std::array known{"stored", "float32", "bfloat16", "q8_0", "q4_0"};
  if (std::find(known.begin(), known.end(), found->second) == known.end())
    throw Error((folder / record::adapter_weights).string(), "has the unknown base_precision '" + found->second + "'",
                fmt::format("base_precision must be one of {}", fmt::join(known, ", ")), Exit::data);
  return found->second;
}

void Adapter::save(const fs::path& folder, const std::string& own_fingerprint, const std::string& precision) const {
  record::write_adapter_config(config_, folder);
  std::vector<record::TensorView> views;
  const auto all = parameters();
  for (const Parameter& p : all) {
    const at::Tensor& value = p.host.defined() ? p.host : p.value;
    views.push_back(
        {p.name, "F32", value.sizes().vec(), {static_cast<const std::byte*>(value.const_data_ptr()), value.nbytes()}});
  }
  record::write_safetensors(folder / record::adapter_weights, views,
                            {{"format", "pt"}, {"base_fingerprint", own_fingerprint}, {"base_precision", precision}});
}

}  // namespace compeer::decoder
