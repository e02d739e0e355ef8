#include "train/batch/rollouts.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "comm/phase.h"
#include "language/stop_strings.h"

namespace compeer::train {

namespace {

std::vector<Completion> texts_of(const language::Tokenizer& tokenizer, const std::vector<rollout::Sample>& samples) {
  std::vector<Completion> all;
  for (const auto& sample : samples) {
    const auto least = std::ranges::min_element(sample.log_probs);
    all.push_back({tokenizer.decode(sample.tokens), static_cast<int64_t>(sample.tokens.size()), sample.finished,
                   least == sample.log_probs.end() ? 0 : *least});
  }
  return all;
}

}  // namespace

void roll_out(RunPlugins& plugins, Groups& groups, const Settings& sampling, int64_t group_size, RngKey key) {
  std::vector<rollout::Prompt> prompts;
  for (PromptGroup& group : groups) {
    group.vision = plugins.vision_input().look(group.prompt, 0, 0, std::exchange(group.pictures, {}));
    prompts.push_back({key.before + static_cast<uint32_t>(group.index), group.prompt, group.vision});
  }
  rollout::Request request{sampling_from(sampling), group_size, {plugins.tokenizer().end()}, key.seed, key.step};
  request.progress = [] { comm::mark_progress(); };
  if (const auto texts = sampling.texts("stop"); !texts.empty()) {
    if (std::count(texts.begin(), texts.end(), "") > 0)
      throw Error("sampling.stop", "holds an empty text, which would end everything at once", "", Exit::spec);
    request.stop = [&plugins, texts] {
      return [watch = language::StopStrings(plugins.tokenizer(), texts)](int32_t id) mutable { return watch.push(id); };
    };
  }
  const comm::Phase here("rollout", plugins.model().identity().title());
  auto samples =
      plugins.model().call("forward", [&](Model&) { return rollout::generate(plugins.policy(), prompts, request); });
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i].samples = std::move(samples[i]);
    groups[i].completions = texts_of(plugins.tokenizer(), groups[i].samples);
  }
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
