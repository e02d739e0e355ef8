#include "rollout/engine.h"

#include <ATen/core/grad_mode.h>

#include "base/device_error.h"
#include "rollout/check.h"
#include "rollout/choosing.h"
#include "rollout/generation.h"
#include "rollout/pass.h"
#include "rollout/scoring.h"

namespace compeer::rollout {

PromptSource in_order(const std::vector<Prompt>& prompts) {
  return [&prompts, next = size_t{0}](Prompt& prompt, bool) mutable {
    if (next == prompts.size()) return Supply::end;
    prompt = prompts[next++];
    return Supply::prompt;
  };
}

Engine::Engine(Policy& policy) : policy_(policy), pages_(policy.model.shape(), policy.head.value().device()) {}

void Engine::generate(const PromptSource& source, const Request& request, const Sink& sink) {
  const at::NoGradGuard no_grad;
  with_remedy("the engine", [&] { Generation(policy_, pages_, source, request, sink).run(); });
}

std::vector<std::vector<Sample>> Engine::generate(const std::vector<Prompt>& prompts, const Request& request) {
  std::vector<std::vector<Sample>> groups(prompts.size());
  for (auto& group : groups) group.resize(static_cast<size_t>(request.group_size));
  generate(in_order(prompts), request,
           [&](size_t prompt, uint32_t completion, Sample sample) { groups[prompt][completion] = std::move(sample); });
  return groups;
}

void Engine::score(const PromptSource& source, const Request& request, const ScoreSink& sink) {
  const at::NoGradGuard no_grad;
  with_remedy("the engine", [&] { Scoring(policy_, pages_, source, request, sink).run(); });
}

std::vector<std::vector<float>> Engine::score(const std::vector<Prompt>& texts, const Request& request) {
  std::vector<std::vector<float>> all(texts.size());
  score(in_order(texts), request, [&](size_t text, std::vector<float> scores) { all[text] = std::move(scores); });
  return all;
}

void Engine::read(const std::vector<Prompt>& prompts) {
  const at::NoGradGuard no_grad;
  const auto shape = policy_.model.shape();
  std::vector<CachedSequence*> waiting;
  for (const Prompt& prompt : prompts) check(prompt, shape, 0);
  for (const Prompt& prompt : prompts) {
    prompt.after->append(prompt.tokens, prompt.vision);
    waiting.push_back(prompt.after);
  }
  Pass pass(policy_, pages_);
  for (;;) {
    const auto portions = pass.add(waiting);
    if (portions.empty()) return;
    const auto hidden = pass.run_for_last();
    for (size_t i = 0; i < portions.size(); ++i) {
      const float* last = row_of(hidden, static_cast<int64_t>(i));
      waiting[portions[i].which]->last().assign(last, last + shape.hidden);
    }
  }
}

std::vector<std::vector<NextToken>> Engine::choose(const std::vector<Guess>& guesses, const Sampling& sampling) {
  const at::NoGradGuard no_grad;
  return with_remedy("the engine", [&] { return Choosing(policy_, pages_, guesses, sampling).run(); });
}

std::vector<std::vector<Sample>> generate(Policy& policy, const std::vector<Prompt>& prompts, const Request& request) {
  return Engine(policy).generate(prompts, request);
}

}  // namespace compeer::rollout
