// Greedy tokens after pictures, from the engine that `compeer generate` uses.
#include <ATen/ops/index_select.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>

#include "rollout/engine.h"
#include "tools/verify/vl.h"

namespace compeer::verify {

namespace {

using nlohmann::json;

// What the whole sequence gets in one forward pass, as the trainer makes it: from the row before the first new token
// on.
struct Whole {
  at::Tensor logits, log_probs;  // [new tokens, vocabulary]; [new tokens]
};
Whole whole(rollout::Policy& policy, const rollout::Prompt& prompt, const std::vector<int32_t>& completion) {
  std::vector<int64_t> tokens(prompt.tokens.begin(), prompt.tokens.end());
  tokens.insert(tokens.end(), completion.begin(), completion.end());
  const auto start = static_cast<int64_t>(prompt.tokens.size()), added = static_cast<int64_t>(completion.size());
  Batch batch{at::tensor(tokens), {{0, start, 0, -1, {}, 0, prompt.vision}, {start, added, start, 0, {}}}};
  if (prompt.vision) batch.segments[1].shift = prompt.vision->next - start;
  const auto rows = policy.model.forward(batch, nullptr).narrow(0, start - 1, added).contiguous();
  return {kernels::logits(rows, policy.head),
          kernels::token_logprobs(rows, policy.head, batch.tokens.narrow(0, start, added).contiguous(), 1.0).log_prob};
}

void check_greedy_run(const VlCase& vl, const std::string& run, rollout::Policy& policy, std::vector<Check>& checks) {
  const json& greedy = vl.golden.at(run).at("greedy");
  std::vector<rollout::Prompt> prompts;
  for (const VlRow& row : rows_of(vl, run))
    prompts.push_back(
        {.index = static_cast<uint32_t>(prompts.size()), .tokens = row.tokens, .vision = look(vl, row, policy.model)});
  rollout::Request request;
  request.sampling.greedy = true;
  request.sampling.max_new_tokens = static_cast<int64_t>(greedy.at("tokens").at(0).size());
  const auto groups = rollout::generate(policy, prompts, request);
  Largest tokens, log_probs, best, recorded;
  for (size_t b = 0; b < groups.size(); ++b) {
    const auto& sample = groups[b].at(0);
    const auto reference = greedy.at("tokens").at(b).get<std::vector<int32_t>>();
    const auto again = whole(policy, prompts[b], sample.tokens);
    for (size_t t = 0; t < reference.size(); ++t) {
      tokens.take(t < sample.tokens.size() && sample.tokens[t] == reference[t] ? 0 : 1);
      if (t >= sample.tokens.size()) continue;
      const auto row = static_cast<int64_t>(t);
      log_probs.compare(sample.log_probs[t], greedy.at("logprobs").at(b).at(t));
      recorded.compare(sample.log_probs[t], again.log_probs[row].item<double>());
      if (greedy.contains("top5_ids"))
        compare_best(at::log_softmax(again.logits[row], 0, at::kDouble), greedy.at("top5_ids").at(b).at(t),
                     greedy.at("top5_logprobs").at(b).at(t), best);
    }
  }
  checks.push_back(tokens.check(run + ".greedy.tokens", 0, "tokens"));
  checks.push_back(log_probs.check(run + ".greedy.logprobs", vl_log_prob_tolerance));
  if (greedy.contains("top5_ids")) checks.push_back(best.check(run + ".greedy.top5", vl_log_prob_tolerance));
  if (policy.model.shape().exact) checks.push_back(recorded.check(run + ".greedy.recorded", 0));
}

}  // namespace

void check_vl_greedy(const VlCase& vl, rollout::Policy& policy, std::vector<Check>& checks) {
  for (const std::string& run : runs_of(vl)) {
    if (vl.golden.at(run).contains("greedy")) check_greedy_run(vl, run, policy, checks);
  }
}

}  // namespace compeer::verify
