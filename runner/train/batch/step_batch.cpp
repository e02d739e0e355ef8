// The batch of a step: prompts, completions and their columns; and sampling of completions.
#include "train/batch/step_batch.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "comm/phase.h"
#include "language/text_stream.h"
#include "statistics/interval.h"

namespace compeer::train {

namespace {

double mean_entropy(const std::vector<float>& entropies) {
  return entropies.empty() ? 0.0 : statistics::mean(std::vector<double>(entropies.begin(), entropies.end()));
}

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

std::vector<std::string> BatchColumns::names() const {
  std::vector<std::string> all;
  for (const auto& [name, values] : columns_) all.push_back(name);
  return all;
}

void BatchColumns::set(const std::string& name, at::Tensor values) {
  if (values.scalar_type() != at::kDouble || values.sizes() != at::IntArrayRef{prompts_, group_size_})
    throw std::logic_error(fmt::format("column '{}' is not of {} x {} numbers", name, prompts_, group_size_));
  const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const auto& one) { return one.first == name; });
  if (found != columns_.end())
    found->second = values.contiguous();
  else
    columns_.emplace_back(name, values.contiguous());
}

void BatchColumns::set_unknown(const std::string& name) {
  set(name, at::full({prompts_, group_size_}, std::numeric_limits<double>::quiet_NaN(), at::kDouble));
}

const at::Tensor& BatchColumns::operator[](const std::string& name) const {
  for (const auto& [own, values] : columns_) {
    if (own == name) return values;
  }
  throw std::logic_error(fmt::format("no column '{}' in the batch: {}", name, fmt::join(names(), ", ")));
}

std::span<double> BatchColumns::row(const std::string& name, size_t prompt) {
  const auto size = static_cast<size_t>(group_size_);
  return {(*this)[name].mutable_data_ptr<double>() + prompt * size, size};
}

std::vector<double> BatchColumns::row(const std::string& name, size_t prompt) const {
  const auto* first = (*this)[name].const_data_ptr<double>() + static_cast<int64_t>(prompt) * group_size_;
  return {first, first + group_size_};
}

void BatchColumns::copy_row(size_t prompt, const BatchColumns& other, size_t from) {
  for (const auto& [name, values] : columns_) {
    const auto theirs = other.row(name, from);
    std::copy(theirs.begin(), theirs.end(), row(name, prompt).begin());
  }
}

StepBatch::StepBatch(Groups of, int64_t group_size)
    : groups(std::move(of)), columns(std::ssize(groups), group_size), notes(groups.size()) {
  for (const char* name : {"length", "entropy", "finished"}) columns.set_unknown(name);
  for (size_t g = 0; g < groups.size(); ++g) {
    for (size_t i = 0; i < groups[g].samples.size(); ++i) {
      const auto& sample = groups[g].samples[i];
      columns.row("length", g)[i] = static_cast<double>(sample.tokens.size());
      columns.row("entropy", g)[i] = mean_entropy(sample.entropies);
      columns.row("finished", g)[i] = sample.finished ? 1.0 : 0.0;
    }
  }
}

void StepBatch::replace(size_t prompt, StepBatch& other, size_t from) {
  groups[prompt] = std::move(other.groups[from]);
  notes[prompt] = std::move(other.notes[from]);
  columns.copy_row(prompt, other.columns, from);
}

std::vector<double> from_all_ranks(comm::World& world, const std::vector<double>& mine) {
  std::string all;
  for (const auto& part : world.gather({reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(double)}))
    all += part;
  world.broadcast(all);
  std::vector<double> numbers(all.size() / sizeof(double));
  if (!all.empty()) std::memcpy(numbers.data(), all.data(), all.size());
  return numbers;
}

at::Tensor column_of_all_ranks(comm::World& world, const BatchColumns& mine, const std::string& name) {
  const auto* first = mine[name].const_data_ptr<double>();
  const auto all = from_all_ranks(world, {first, first + mine[name].numel()});
  return at::tensor(all, at::kDouble).view({-1, mine.group_size()});
}

void roll_out(RunPlugins& plugins, Groups& groups, const rollout::Sampling& sampling, int64_t group_size, RngKey key,
              const GroupIsComplete& complete) {
  std::vector<rollout::Prompt> prompts;
  for (PromptGroup& group : groups) {
    group.vision = plugins.vision_input().compute_vision(group.prompt, 0, 0, std::exchange(group.pictures, {}));
    prompts.push_back({key.prompt_offset + static_cast<uint32_t>(group.index), group.prompt, group.vision});
  }
  rollout::Request request{sampling, group_size, {plugins.tokenizer().end_token()}, key.seed, key.step};
  request.progress = [] { comm::mark_progress(); };
  if (const auto& texts = sampling.stop; !texts.empty()) {
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

int64_t room_for_completions(const rollout::Sampling& sampling, int64_t positions) {
  return std::min(sampling.max_new_tokens, positions / 2);
}

}  // namespace compeer::train
