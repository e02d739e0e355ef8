// Greedy tokens, from the engine that `compeer generate` uses, on weights that are only read.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/log_softmax.h>

#include <algorithm>

#include "rollout/engine.h"
#include "tools/verify/text.h"

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

// A finished row is filled up with the padding token.
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

// What the same tokens get in one forward pass, as the trainer makes it: the best five of each place, and bit for bit
// the log-probabilities that were recorded while decoding.
void compare_forward(const std::string& prefix, rollout::Policy& policy, const json& greedy,
                     const std::vector<Sample>& samples, double tolerance, std::vector<Check>& checks) {
  std::vector<Ids> whole = greedy.at("prompts");
  for (size_t i = 0; i < samples.size(); ++i)
    whole[i].insert(whole[i].end(), samples[i].tokens.begin(), samples[i].tokens.end());
  const SideBySide rows(whole, policy.model.shape().vocabulary);
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
      // Each sequence before this one has one row, its last, that predicts nothing.
      recorded.compare(samples[i].log_probs[t], log_probs[row - static_cast<int64_t>(skipped)].item<double>());
    }
  }
  if (greedy.contains("top5_ids")) checks.push_back(best.check(prefix + "top5", tolerance));
  if (policy.model.shape().exact) checks.push_back(recorded.check(prefix + "recorded", 0));
}

}  // namespace

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
