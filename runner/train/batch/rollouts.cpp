#include "train/batch/rollouts.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "comm/phase.h"
#include "language/stop_strings.h"

namespace compeer::train {

namespace {

std::vector<Completion> completions_of(const language::Tokenizer& tokenizer,
                                       const std::vector<rollout::Sample>& samples) {
  std::vector<Completion> all;
  for (const auto& sample : samples) {
    const auto least = std::ranges::min_element(sample.log_probs);
    all.push_back({tokenizer.decode(sample.tokens), static_cast<int64_t>(sample.tokens.size()), sample.finished,
                   least == sample.log_probs.end() ? 0 : *least, sample.tokens, sample.log_probs});
  }
  return all;
}

}  // namespace

void roll_out(RunPlugins& plugins, Groups& groups, const Settings& sampling, int64_t group_size, RngKey key,
              const GroupIsComplete& complete) {
  std::vector<rollout::Prompt> prompts;
  for (PromptGroup& group : groups) {
    group.vision = plugins.vision_input().look(group.prompt, 0, 0, std::exchange(group.pictures, {}));
    prompts.push_back({key.before + static_cast<uint32_t>(group.index), group.prompt, group.vision});
  }
  rollout::Request request{sampling_from(sampling), group_size, {plugins.tokenizer().end()}, key.seed, key.step};
  request.progress = [] { comm::mark_progress(); };
  if (const auto texts = sampling.texts("stop"); !texts.empty()) {
    if (std::count(texts.begin(), texts.end(), "") > 0)
      throw Error("sampling.stop", "contains an empty string, which would stop every completion immediately",
                  "remove it", Exit::spec);
    request.rules = [&plugins, texts](uint32_t) {
      return rollout::CompletionRules{language::StopStrings(plugins.tokenizer(), texts).rule()};
    };
  }
  const comm::Phase here("rollout", plugins.model().identity().title());
  std::vector<int64_t> missing(groups.size(), group_size);
  for (PromptGroup& group : groups) group.samples.resize(static_cast<size_t>(group_size));
  const rollout::Sink take = [&](size_t i, uint32_t completion, rollout::Sample sample) {
    groups[i].samples[completion] = std::move(sample);
    if (--missing[i] > 0) return;
    groups[i].completions = completions_of(plugins.tokenizer(), groups[i].samples);
    complete(groups[i]);
  };
  plugins.model().call("forward", [&](Model&) {
    rollout::Engine(plugins.policy()).generate(rollout::in_order(prompts), request, take);
  });
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
