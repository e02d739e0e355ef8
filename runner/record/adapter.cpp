// LoRA adapters of peft: configuration, tensor names, and merging into the base model.
#include "record/adapter.h"

#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "record/safetensors.h"

namespace compeer::record {

namespace {

using nlohmann::json;

const std::string older = "model.", newer = "model.language_model.";

std::string change_of(const std::string& weight, const char* matrix) {
  const size_t end = weight.rfind(".weight");
  return "base_model.model." + weight.substr(0, end) + ".lora_" + matrix + ".weight";
}

namespace fs = std::filesystem;

constexpr uint64_t largest_shard = 5'000'000'000;

float widened_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const float sign = bits & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
  return exponent == 0 ? sign * std::ldexp(static_cast<float>(mantissa), -24)
                       : sign * std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
}

std::vector<float> widened(const TensorView& view) {
  const size_t size = element_size(view.dtype), count = view.bytes.size() / size;
  std::vector<float> values(count);
  if (view.dtype == "F32") {
    std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
    return values;
  }
  if (view.dtype != "BF16" && view.dtype != "F16")
    throw Error(view.name, "is of type " + view.dtype + "; only F32, BF16 and F16 can be merged", "", Exit::data);
  for (size_t i = 0; i < count; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, view.bytes.data() + i * size, size);
    values[i] = view.dtype == "F16" ? widened_half(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  return values;
}

// Converts to bytes: float32, or bfloat16 (rounded to nearest even) if `dtype` is not "F32".
std::vector<std::byte> stored(const std::vector<float>& values, const std::string& dtype) {
  std::vector<std::byte> bytes(values.size() * element_size(dtype));
  if (dtype == "F32") {
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const auto whole = std::bit_cast<uint32_t>(values[i]);
    const auto nearest = static_cast<uint16_t>((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
    std::memcpy(bytes.data() + 2 * i, &nearest, 2);
  }
  return bytes;
}

void add_change(std::vector<float>& w, const TensorView& view, const TensorView& a_view, const TensorView& b_view,
                double scaling) {
  const auto rank = static_cast<size_t>(a_view.shape.at(0)), in = static_cast<size_t>(view.shape.at(1)),
             out = static_cast<size_t>(view.shape.at(0));
  const auto a = widened(a_view), b = widened(b_view);
  std::vector<float> row(in);
  for (size_t o = 0; o < out; ++o) {
    std::fill(row.begin(), row.end(), 0.0f);
    for (size_t r = 0; r < rank; ++r) {
      for (size_t i = 0; i < in; ++i) row[i] += b[o * rank + r] * a[r * in + i];
    }
    for (size_t i = 0; i < in; ++i) w[o * in + i] += static_cast<float>(scaling) * row[i];
  }
}

void copy_beside(const fs::path& base, const fs::path& adapter, const fs::path& to) {
  for (const char* name :
       {"config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "vocab.json", "merges.txt",
        "special_tokens_map.json", "added_tokens.json", "chat_template.jinja", "chat_template.json",
        "preprocessor_config.json", "processor_config.json"}) {
    for (const fs::path& from : {adapter, base}) {
      if (!fs::exists(from / name)) continue;
      fs::copy_file(from / name, to / name);
      break;
    }
  }
  // form.json describes the examples of the adapter's training; that of the base does not apply.
  if (fs::exists(adapter / "form.json")) fs::copy_file(adapter / "form.json", to / "form.json");
}

}  // namespace

double AdapterConfig::scaling() const {
  const auto r = static_cast<double>(rank);
  return alpha / (rslora ? std::sqrt(r) : r);
}

AdapterConfig read_adapter_config(const std::filesystem::path& folder) {
  const auto file = folder / "adapter_config.json";
  const json table = read_json_object(file);
  const auto refuse = [&](const std::string& what) { throw Error(file.string(), what, "", Exit::data); };
  const auto given = [&](const char* key) { return table.contains(key) && !table.at(key).is_null(); };
  if (table.value("peft_type", json("LORA")) != "LORA")
    refuse("peft_type is " + table.at("peft_type").dump() + "; only LORA is supported");
  for (const char* key : {"use_dora", "use_qalora", "use_bdlora", "lora_bias", "fan_in_fan_out"}) {
    if (given(key) && table.at(key) != false) refuse(std::string("'") + key + "' is not supported");
  }
  for (const char* key : {"modules_to_save", "layer_replication", "trainable_token_indices", "target_parameters",
                          "rank_pattern", "alpha_pattern"}) {
    if (given(key) && !table.at(key).empty()) refuse(std::string("'") + key + "' is not supported");
  }
  if (given("bias") && table.at("bias") != "none") refuse("'bias' must be \"none\"");
  AdapterConfig config;
  if (!given("r") || !table.at("r").is_number_integer() || table.at("r").get<int64_t>() < 1)
    refuse("'r' must be a whole number of at least 1");
  config.rank = table.at("r").get<int64_t>();
  if (!given("lora_alpha") || !table.at("lora_alpha").is_number()) refuse("'lora_alpha' must be a number");
  config.alpha = table.at("lora_alpha").get<double>();
  config.rslora = given("use_rslora") && table.at("use_rslora") == true;
  config.base = given("base_model_name_or_path") && table.at("base_model_name_or_path").is_string()
                    ? table.at("base_model_name_or_path").get<std::string>()
                    : "";
  if (given("target_modules") && table.at("target_modules").is_array()) {
    for (const json& target : table.at("target_modules")) {
      if (target.is_string()) config.targets.push_back(target.get<std::string>());
    }
  }
  return config;
}

void write_adapter_config(const AdapterConfig& config, const std::filesystem::path& folder) {
  const json table{{"peft_type", "LORA"},
                   {"task_type", "CAUSAL_LM"},
                   {"base_model_name_or_path", config.base},
                   {"r", config.rank},
                   {"lora_alpha", config.alpha},
                   {"use_rslora", config.rslora},
                   {"lora_dropout", 0.0},
                   {"bias", "none"},
                   {"inference_mode", true},
                   {"target_modules", config.targets}};
  write_file(folder / "adapter_config.json", table.dump(2) + "\n");
}

LoraNames lora_names(const std::string& weight) { return {change_of(weight, "A"), change_of(weight, "B")}; }

std::string language_model_name(const std::string& weight) {
  return weight.starts_with(older) && !weight.starts_with(newer) ? newer + weight.substr(older.size()) : weight;
}

LoraNames lora_names(const Safetensors& file, const std::string& weight) {
  const auto own = lora_names(weight);
  const auto published = weight.starts_with(newer) ? older + weight.substr(newer.size()) : weight;
  for (const auto& names : {own, lora_names(language_model_name(weight)), lora_names(published)}) {
    if (file.has(names.a) || file.has(names.b)) return names;
  }
  return own;
}

void merge_adapter(const fs::path& base, const fs::path& adapter, const fs::path& out) {
  if (fs::exists(out)) throw Error(out.string(), "already exists", "choose a new folder", Exit::usage);
  const auto config = read_adapter_config(adapter);
  const auto model = Safetensors::open_sharded(base), changes = Safetensors::open(adapter / adapter_weights);
  std::set<std::string> left;
  for (const auto& name : changes.names()) left.insert(name);
  std::deque<std::vector<std::byte>> merged;
  std::vector<TensorView> all;
  for (const auto& name : model.names()) {
    TensorView view = model.tensor(name);
    const auto [a, b] = lora_names(changes, name);
    if (changes.has(a) && changes.has(b)) {
      const auto& a_view = changes.tensor(a);
      const auto& b_view = changes.tensor(b);
      const bool fits = view.shape.size() == 2 && a_view.shape == std::vector<int64_t>{config.rank, view.shape[1]} &&
                        b_view.shape == std::vector<int64_t>{view.shape[0], config.rank};
      if (!fits) throw Error(adapter.string(), a + " does not fit " + name + " of " + base.string(), "", Exit::data);
      auto values = widened(view);
      add_change(values, view, a_view, b_view, config.scaling());
      if (view.dtype == "F16") view.dtype = "F32";  // the sum may exceed the range of F16
      view.bytes = merged.emplace_back(stored(values, view.dtype));
      left.erase(a), left.erase(b);
    }
    all.push_back(view);
  }
  if (!left.empty())
    throw Error(adapter.string(), *left.begin() + " matches no weight of " + base.string(), "", Exit::data);
  const fs::path part = out.string() + "." + std::to_string(::getpid()) + ".part";
  try {
    fs::create_directories(part);
    copy_beside(base, adapter, part);
    write_sharded(part, all, largest_shard);
    fs::rename(part, out);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(part, ignored);
    throw;
  }
}

}  // namespace compeer::record
