// A small Qwen2 model and what transformers computes with it: tests/golden/README.md says what golden.json holds.
#include "tools/verify/text.h"

#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <algorithm>

namespace compeer::verify {

TextCase::TextCase(const std::filesystem::path& from)
    : folder(from),
      golden(read_reference(from / "golden.json")),
      tensors(record::Safetensors::open(from / "golden.safetensors")),
      sequences(golden.at("sequences").get<std::vector<Ids>>()) {}

TextCase::TextCase(const std::filesystem::path& from, const nlohmann::json& values,
                   const std::filesystem::path& tensor_file, const std::string& prefix)
    : folder(from),
      golden(values),
      tensors(record::Safetensors::open(tensor_file)),
      logits(prefix + "logits"),
      gradients(prefix + "grad."),
      sequences(golden.at("sequences").get<std::vector<Ids>>()) {}

double TextCase::log_prob_tolerance() const {
  const auto rounding = golden.value("reference_rounding", nlohmann::json::object());
  return std::clamp(2 * rounding.value("logits_float32_minus_float64", 0.0), 1e-5, logit_tolerance);
}

SideBySide::SideBySide(const std::vector<Ids>& sequences, int64_t vocabulary) {
  Ids tokens, from, to;
  for (const Ids& ids : sequences) {
    const auto start = static_cast<int64_t>(tokens.size()), length = static_cast<int64_t>(ids.size());
    starts.push_back(start);
    batch.segments.push_back({start, length, 0, -1, {}});
    for (int64_t i = 0; i < length; ++i) {
      const int64_t id = ids[static_cast<size_t>(i)];
      if (id < 0 || id >= vocabulary)
        throw Error("golden.json", fmt::format("token {} is not among the model's {}", id, vocabulary), "", Exit::data);
      if (i > 0) from.push_back(start + i - 1), to.push_back(id);
      tokens.push_back(id);
    }
  }
  batch.tokens = at::tensor(tokens);
  predicting = at::tensor(from);
  targets = at::tensor(to);
}

std::vector<Check> verify_lora(const std::filesystem::path& file, const VerifyOptions&) {
  return reading(file, [&] {
    const auto golden = read_reference(file);
    const auto folder = file.parent_path(), tensors = folder / "golden.safetensors";
    std::vector<Check> checks;
    const auto with = [&](const std::string& name, nlohmann::json values) {
      values["sequences"] = golden.at("sequences");
      values["right"] = {{"input_ids", golden.at("input_ids")},
                         {"attention_mask", golden.at("attention_mask")},
                         {"counted", golden.at("counted")},
                         {"logprobs", values.at("logprobs")}};
      if (values.contains("entropy")) values["right"]["entropy"] = values.at("entropy");
      const TextCase text(folder / values.at("folder").get<std::string>(), values, tensors, name + ".");
      std::vector<Check> found;
      check_forward(text, found);
      check_training(text, found);
      check_greedy(text, found);
      for (Check& check : found) check.name = name + "." + check.name;
      checks.insert(checks.end(), found.begin(), found.end());
    };
    with("base", {{"folder", golden.at("base")}, {"logprobs", golden.at("base_logprobs")}});
    for (const auto& [name, values] : golden.at("cases").items()) with(name, values);
    return checks;
  });
}

std::vector<Check> verify_text(const std::filesystem::path& folder, const VerifyOptions&) {
  return reading(folder / "golden.json", [&] {
    TextCase text(folder);
    if (text.golden.at("model").at("stored_dtype") == "bfloat16") find_rotary_precision(text);
    std::vector<Check> checks;
    check_forward(text, checks);
    check_training(text, checks);
    check_greedy(text, checks);
    return checks;
  });
}

}  // namespace compeer::verify
