// Checks a small text model against values computed by transformers (tests/golden/README.md describes golden.json),
// including greedy decoding by the engine that `compeer generate` uses.
#include "tools/verify/text.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <algorithm>

#include "rollout/engine.h"

namespace compeer::verify {

namespace {

using nlohmann::json;
using rollout::Sample;

std::vector<Sample> decode(rollout::Policy& policy, const json& greedy, int32_t end_token) {
  rollout::Request request;
  request.sampling.greedy = true;
  request.sampling.max_new_tokens = greedy.at("new_tokens").get<int64_t>();
  if (end_token >= 0) request.end_tokens = {end_token};
  std::vector<rollout::Prompt> prompts;
  for (const json& ids : greedy.at("prompts"))
    prompts.push_back({.index = static_cast<uint32_t>(prompts.size()), .tokens = ids.get<std::vector<int32_t>>()});
  std::vector<Sample> samples;
  for (auto& group : rollout::generate(policy, prompts, request)) samples.push_back(std::move(group.at(0)));
  return samples;
}

// Rows that ended early are filled with the padding token.
Check compare_tokens(const std::string& name, const std::vector<Sample>& samples, const json& reference, int32_t fill) {
  Largest largest;
  for (size_t i = 0; i < samples.size(); ++i) {
    auto ours = samples[i].tokens;
    const auto row = reference.at(i).get<std::vector<int32_t>>();
    ours.resize(std::max(ours.size(), row.size()), fill);
    for (size_t t = 0; t < ours.size(); ++t) largest.take(t < row.size() && ours[t] == row[t] ? 0.0 : 1.0);
  }
  return largest.check(name, 0, "tokens");
}

Check compare_log_probs(const std::string& name, const std::vector<Sample>& samples, const json& reference,
                        double tolerance) {
  Largest largest;
  for (size_t i = 0; i < samples.size(); ++i) {
    for (size_t t = 0; t < samples[i].log_probs.size(); ++t)
      largest.compare(samples[i].log_probs[t], reference.at(i).at(t));
  }
  return largest.check(name, tolerance);
}

// Compares one forward pass over the same tokens, as the trainer computes it: the five best tokens at each position,
// and the log-probabilities recorded while decoding, which must be bitwise identical.
void compare_forward(const std::string& prefix, rollout::Policy& policy, const json& greedy,
                     const std::vector<Sample>& samples, double tolerance, std::vector<Check>& checks) {
  std::vector<Ids> whole = greedy.at("prompts");
  for (size_t i = 0; i < samples.size(); ++i)
    whole[i].insert(whole[i].end(), samples[i].tokens.begin(), samples[i].tokens.end());
  const PackedSequences rows(whole, policy.model.shape().vocabulary);
  const auto hidden = policy.model.forward(rows.batch, nullptr);
  const auto logits = kernels::logits(hidden, policy.head);
  const auto log_probs =
      kernels::token_logprobs(at::index_select(hidden, 0, rows.predicting), policy.head, rows.targets, 1.0).log_prob;
  Largest best, recorded;
  for (size_t i = 0, skipped = 0; i < samples.size(); ++i, ++skipped) {
    for (size_t t = 0; t < samples[i].tokens.size(); ++t) {
      const auto row = rows.starts[i] + static_cast<int64_t>(whole[i].size() - samples[i].tokens.size() + t) - 1;
      if (greedy.contains("top5_ids"))
        compare_best(at::log_softmax(logits[row], 0, at::kDouble), greedy.at("top5_ids").at(i).at(t),
                     greedy.at("top5_logprobs").at(i).at(t), best);
      // The last row of each earlier sequence predicts nothing.
      recorded.compare(samples[i].log_probs[t], log_probs[row - static_cast<int64_t>(skipped)].item<double>());
    }
  }
  if (greedy.contains("top5_ids")) checks.push_back(best.check(prefix + "top5", tolerance));
  if (policy.model.shape().exact) checks.push_back(recorded.check(prefix + "recorded", 0));
}

}  // namespace

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

PackedSequences::PackedSequences(const std::vector<Ids>& sequences, int64_t vocabulary) {
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

void check_greedy(const std::string& prefix, rollout::Policy& policy, const json& greedy, double tolerance,
                  std::vector<Check>& checks) {
  const at::NoGradGuard no_grad;
  const auto samples = decode(policy, greedy, -1);
  checks.push_back(compare_tokens(prefix + "tokens", samples, greedy.at("tokens"), -1));
  if (greedy.contains("logprobs"))
    checks.push_back(compare_log_probs(prefix + "logprobs", samples, greedy.at("logprobs"), tolerance));
  compare_forward(prefix, policy, greedy, samples, tolerance, checks);
}

void check_greedy(const TextCase& text, std::vector<Check>& checks) {
  if (!text.golden.contains("greedy")) return;
  const at::NoGradGuard no_grad;
  const inference::OpenModel model({.folder = text.folder, .rotary_precision = text.rotary_precision});
  const json& greedy = text.golden.at("greedy");
  check_greedy("greedy.", *model.policy, greedy, text.log_prob_tolerance(), checks);
  if (!text.golden.contains("greedy_stop")) return;
  const json& stop = text.golden.at("greedy_stop");
  checks.push_back(compare_tokens("greedy_stop.tokens", decode(*model.policy, greedy, stop.at("eos_token_id")),
                                  stop.at("tokens"), stop.at("pad_token_id")));
}

}  // namespace compeer::verify
