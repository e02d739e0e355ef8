#include "rollout/engine.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <algorithm>

#include "rollout/pages.h"

namespace compeer::rollout {

namespace {

constexpr int64_t kPage = Cache::page;

// A completion being decoded.
struct Sequence {
  Sample* sample;
  Draw draw;
  int64_t length = 0;  // positions that are in pages
  std::vector<int32_t> pages;
  bool done = false;
};

at::Tensor int_tensor(const std::vector<int64_t>& values) {
  auto tensor = at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), static_cast<int64_t*>(tensor.data_ptr()));
  return tensor;
}

// The prompts and completions that are decoded together: whole groups.
class Wave {
 public:
  Wave(Policy& policy, const Request& request, const Prompt* prompts, size_t count, std::vector<Sample>* groups)
      : policy_(policy), request_(request), shape_(policy.model.shape()), pages_(shape_, page_count(prompts, count)) {
    prefill(prompts, count, groups);
  }

  void run() {
    while (!active_.empty()) {
      decode();
      request_.progress();
    }
  }

 private:
  int64_t page_count(const Prompt* prompts, size_t count) const {
    int64_t total = 0;
    for (size_t i = 0; i < count; ++i) {
      const auto length = static_cast<int64_t>(prompts[i].tokens.size());
      total += (length + kPage - 1) / kPage;
      total += request_.group_size * ((length + limit(prompts[i]) + kPage - 1) / kPage - length / kPage);
    }
    return total;
  }

  // New tokens that fit behind the prompt.
  int64_t limit(const Prompt& prompt) const {
    return std::min(request_.sampling.max_new_tokens, shape_.positions - static_cast<int64_t>(prompt.tokens.size()));
  }

  // One forward pass over all prompts; every completion draws its first token from its prompt's last row.
  void prefill(const Prompt* prompts, size_t count, std::vector<Sample>* groups) {
    Batch batch;
    std::vector<int64_t> tokens, last;
    for (size_t i = 0; i < count; ++i) {
      const auto length = static_cast<int64_t>(prompts[i].tokens.size());
      TORCH_CHECK(length > 0 && limit(prompts[i]) > 0, "a prompt of ", length, " tokens leaves no room in ",
                  shape_.positions, " positions");
      Segment segment{static_cast<int64_t>(tokens.size()), length, 0, -1, {}};
      for (int64_t p = 0; p < length; p += kPage) segment.pages.push_back(pages_.take());
      tokens.insert(tokens.end(), prompts[i].tokens.begin(), prompts[i].tokens.end());
      last.push_back(static_cast<int64_t>(tokens.size()) - 1);
      batch.segments.push_back(std::move(segment));
    }
    batch.tokens = int_tensor(tokens);
    const auto hidden = policy_.model.forward(batch, &pages_.cache());
    const auto logits = kernels::logits(at::index_select(hidden, 0, int_tensor(last)), policy_.head);
    for (size_t i = 0; i < count; ++i) {
      groups[i].resize(static_cast<size_t>(request_.group_size));
      for (uint32_t c = 0; c < request_.group_size; ++c) {
        Sequence sequence{
            &groups[i][c], {request_.seed, request_.step, prompts[i].index, c, 0}, batch.segments[i].length, {}, false};
        limits_.push_back(limit(prompts[i]));
        fork(batch.segments[i], sequence);
        active_.push_back(std::move(sequence));
        accept(active_.back(), limits_.back(), row(logits, static_cast<int64_t>(i)));
      }
    }
    drop_finished();
  }

  // Full pages of the prompt are shared; the half-filled one is copied.
  void fork(const Segment& prompt, Sequence& sequence) {
    sequence.pages = prompt.pages;
    if (prompt.length % kPage != 0) {
      sequence.pages.back() = pages_.take();
      pages_.copy(prompt.pages.back(), sequence.pages.back());
    }
  }

  const float* row(const at::Tensor& logits, int64_t i) const {
    return static_cast<const float*>(logits.const_data_ptr()) + i * shape_.vocabulary;
  }

  void accept(Sequence& sequence, int64_t limit, const float* logits) {
    Sample& sample = *sequence.sample;
    sequence.draw.position = static_cast<uint32_t>(sample.tokens.size());
    const Token token = rollout::sample(logits, shape_.vocabulary, request_.sampling, sequence.draw);
    sample.tokens.push_back(token.id);
    sample.log_probs.push_back(token.log_prob);
    sample.entropies.push_back(token.entropy);
    sample.finished = token.id == request_.end_token;
    sequence.done = sample.finished || static_cast<int64_t>(sample.tokens.size()) >= limit;
  }

  // One token of every active sequence through the model.
  void decode() {
    Batch batch;
    std::vector<int64_t> tokens;
    for (Sequence& sequence : active_) {
      if (sequence.length % kPage == 0) sequence.pages.push_back(pages_.take());
      batch.segments.push_back({static_cast<int64_t>(tokens.size()), 1, sequence.length++, -1, sequence.pages});
      tokens.push_back(sequence.sample->tokens.back());
    }
    batch.tokens = int_tensor(tokens);
    const auto logits = kernels::logits(policy_.model.forward(batch, &pages_.cache()), policy_.head);
    for (size_t i = 0; i < active_.size(); ++i) accept(active_[i], limits_[i], row(logits, static_cast<int64_t>(i)));
    drop_finished();
  }

  void drop_finished() {
    size_t kept = 0;
    for (size_t i = 0; i < active_.size(); ++i) {
      if (active_[i].done) continue;
      if (kept != i) std::swap(active_[kept], active_[i]), std::swap(limits_[kept], limits_[i]);
      ++kept;
    }
    active_.resize(kept);
    limits_.resize(kept);
  }

  Policy& policy_;
  const Request& request_;
  const ModelShape shape_;
  Pages pages_;
  std::vector<Sequence> active_;
  std::vector<int64_t> limits_;  // of the active sequences
};

}  // namespace

std::vector<std::vector<Sample>> generate(Policy& policy, const std::vector<Prompt>& prompts, const Request& request) {
  const at::NoGradGuard no_grad;
  std::vector<std::vector<Sample>> groups(prompts.size());
  const auto together = static_cast<size_t>(std::max<int64_t>(1, request.sampling.concurrent / request.group_size));
  for (size_t first = 0; first < prompts.size(); first += together) {
    const size_t count = std::min(together, prompts.size() - first);
    Wave(policy, request, prompts.data() + first, count, groups.data() + first).run();
  }
  return groups;
}

}  // namespace compeer::rollout
