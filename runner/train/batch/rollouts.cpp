#include "train/batch/rollouts.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "comm/phase.h"
#include "language/stop_strings.h"

namespace compeer::train {

void roll_out(Cast& cast, std::vector<ScoredGroup>& groups, const Settings& sampling, int64_t group_size, Luck luck) {
  std::vector<rollout::Prompt> prompts;
  for (ScoredGroup& group : groups) {
    group.sight = cast.eyes().look(group.prompt, 0, 0, std::exchange(group.pictures, {}));
    prompts.push_back({luck.before + static_cast<uint32_t>(group.index), group.prompt, group.sight});
  }
  rollout::Request request{sampling_from(sampling), group_size, {cast.tokenizer().end()}, luck.seed, luck.step};
  request.progress = [] { comm::mark_progress(); };
  if (const auto texts = sampling.texts("stop"); !texts.empty()) {
    if (std::count(texts.begin(), texts.end(), "") > 0)
      throw Error("sampling.stop", "holds an empty text, which would end everything at once", "", Exit::spec);
    request.stop = [&cast, texts] {
      return [watch = language::StopStrings(cast.tokenizer(), texts)](int32_t id) mutable { return watch.push(id); };
    };
  }
  const comm::Phase here("rollout", cast.model().identity().title());
  auto samples =
      cast.model().call("forward", [&](Model&) { return rollout::generate(cast.policy(), prompts, request); });
  for (size_t i = 0; i < groups.size(); ++i) groups[i].samples = std::move(samples[i]);
}

rollout::Sampling sampling_from(const Settings& table) {
  rollout::Sampling sampling;
  sampling.temperature = table.number("temperature");
  sampling.greedy = table.flag("greedy");
  sampling.max_new_tokens = table.integer("max_new_tokens");
  sampling.concurrent = table.integer("concurrent");
  sampling.top_k = table.integer("top_k");
  sampling.top_p = table.number("top_p");
  sampling.min_p = table.number("min_p");
  sampling.repetition_penalty = table.number("repetition_penalty");
  return sampling;
}

int64_t room_for_completions(const rollout::Sampling& sampling, int64_t positions) {
  return std::min(sampling.max_new_tokens, positions / 2);
}

}  // namespace compeer::train
