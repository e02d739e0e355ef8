// Checks forward passes over sequences with pictures, their gradients, and greedy decoding by the engine that `compeer
// generate` uses.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "rollout/engine.h"
#include "tools/verify/vl.h"

namespace compeer::verify {

namespace {

using nlohmann::json;

double size_of(const at::Tensor& gradient) { return gradient.to(at::kDouble).norm().item<double>(); }

class Run {
 public:
  Run(const VlCase& vl, const std::string& name, rollout::Policy& policy, std::vector<Check>& checks)
      : vl_(vl),
        name_(name),
        reference_(vl.golden.at(name)),
        policy_(policy),
        checks_(checks),
        rows_(rows_of(vl, name)) {}

  void run() {
    arrange();
    compare_positions();
    at::Tensor log_probs;
    {
      const at::NoGradGuard no_grad;
      const auto hidden = policy_.model.forward(batch_, nullptr);
      compare_logits(kernels::logits(hidden, policy_.head));
      log_probs = log_probs_of(hidden);
    }
    compare_log_probs(log_probs);
    if (reference_.contains("grad_norm")) {
      differentiate();
      compare_gradients();
    }
  }

 private:
  std::string key(const char* part) const { return name_ + "." + part; }

  void arrange() {
    std::vector<int64_t> tokens, from, to;
    for (const VlRow& row : rows_) {
      const auto start = static_cast<int64_t>(tokens.size()), length = static_cast<int64_t>(row.tokens.size());
      starts_.push_back(start);
      batch_.segments.push_back({start, length, 0, -1, {}, 0, encode(vl_, row, policy_.model)});
      for (int64_t i = 0; i < length; ++i) {
        if (i > 0) from.push_back(start + i - 1), to.push_back(row.tokens[static_cast<size_t>(i)]);
        tokens.push_back(row.tokens[static_cast<size_t>(i)]);
      }
    }
    batch_.tokens = at::tensor(tokens);
    predicting_ = at::tensor(from);
    targets_ = at::tensor(to);
  }

  // Compares position_ids of real tokens, and the offset of the next token's position from its index.
  void compare_positions() {
    Largest positions, deltas;
    for (size_t b = 0; b < rows_.size(); ++b) {
      const auto& vision = batch_.segments[b].vision;
      const auto length = static_cast<int64_t>(rows_[b].tokens.size());
      for (size_t axis = 0; axis < 3; ++axis) {
        for (int64_t i = 0; i < length; ++i) {
          const double ours = vision ? vision->positions[static_cast<int64_t>(axis)][i].item<double>() : double(i);
          positions.compare(ours, reference_.at("position_ids").at(axis).at(b).at(rows_[b].places[size_t(i)]));
        }
      }
      const json& delta = reference_.at("rope_deltas").at(b);
      deltas.compare(vision ? double(vision->next - length) : 0.0, delta.is_array() ? delta.at(0) : delta);
    }
    checks_.push_back(positions.check(key("position_ids"), 0, "positions"));
    checks_.push_back(deltas.check(key("rope_deltas"), 0, "rows"));
  }

  void compare_logits(const at::Tensor& logits) {
    if (!vl_.tensors.has(key("logits"))) return;
    const auto padded = reference_tensor(vl_.tensors, key("logits"));
    double error = 0;
    for (size_t b = 0; b < rows_.size(); ++b) {
      const std::vector<int64_t> places(rows_[b].places.begin(), rows_[b].places.end());
      const auto reference = padded[static_cast<int64_t>(b)].index_select(0, at::tensor(places));
      const auto ours = logits.narrow(0, starts_[b], static_cast<int64_t>(places.size()));
      error = std::max(error, largest_difference(ours, reference, key("logits")));
    }
    checks_.push_back(check(key("logits"), error, vl_logit_tolerance, fmt::format("{} values", logits.numel())));
  }

  at::Tensor log_probs_of(const at::Tensor& hidden) {
    return kernels::token_logprobs(at::index_select(hidden, 0, predicting_), policy_.head, targets_, 1.0).log_prob;
  }

  void compare_log_probs(const at::Tensor& log_probs) {
    Largest largest;
    int64_t at = 0;
    for (size_t b = 0; b < rows_.size(); ++b) {
      const auto& places = rows_[b].places;
      for (size_t i = 0; i + 1 < places.size(); ++i) {
        const double ours = log_probs[at++].item<double>();
        if (reference_.at("counted").at(b).at(places[i]))
          largest.compare(ours, reference_.at("logprobs").at(b).at(places[i]));
      }
    }
    checks_.push_back(largest.check(key("logprobs"), vl_log_prob_tolerance));
    const double loss = (log_probs * labelled()).sum().item<double>() / -labelled().sum().item<double>();
    checks_.push_back(check(key("loss"), std::abs(loss - reference_.at("loss").get<double>()), vl_log_prob_tolerance,
                            reference_.at("loss").dump()));
  }

  // Returns 1 for predicted tokens in the loss and 0 for the others.
  at::Tensor labelled() const {
    std::vector<float> weights;
    for (size_t b = 0; b < rows_.size(); ++b) {
      for (size_t i = 1; i < rows_[b].places.size(); ++i)
        weights.push_back(reference_.at("labels").at(b).at(rows_[b].places[i]) == -100 ? 0.0f : 1.0f);
    }
    return at::tensor(weights);
  }

  // The reference trains the whole tower, our model only its merger; `intermediate_results` provides the other weights.
  void differentiate() {
    for (Parameter& p : policy_.model.parameters()) gradients_of_.push_back(p);
    std::vector<Picture> pictures;
    for (const VlRow& row : rows_) {
      for (const size_t i : row.pictures) pictures.push_back(vl_.pictures.at(i));
    }
    if (!pictures.empty()) expose_weights(vision_model(policy_.model).intermediate_results(pictures));
    for (Parameter& p : gradients_of_) p.value.mutable_grad().reset();
    const auto weights = labelled();
    const auto log_probs = log_probs_of(policy_.model.forward(batch_, nullptr));
    ((log_probs * weights).sum() / -weights.sum()).backward();
  }

  void expose_weights(const std::map<std::string, at::Tensor>& seen) {
    int64_t first = 0;
    for (Segment& segment : batch_.segments) {
      if (!segment.vision) continue;
      auto vision = std::make_shared<VisionFeatures>(*segment.vision);
      const int64_t count = vision->features.size(0);
      vision->features = seen.at("kept").narrow(0, first, count);
      segment.vision = vision;
      first += count;
    }
    for (const auto& [name, value] : seen) {
      if (value.is_leaf() && value.requires_grad()) gradients_of_.push_back({name, value});
    }
  }

  void compare_gradients() {
    double squares = 0;
    Largest norms;
    const json none = json::object();
    const json& references = reference_.contains("grad_norms") ? reference_.at("grad_norms") : none;
    for (const Parameter& p : gradients_of_) {
      const double ours = p.value.grad().defined() ? size_of(p.value.grad()) : 0.0;
      squares += ours * ours;
      if (references.contains(p.name)) {
        const double reference = references.at(p.name);
        norms.take(std::abs(ours - reference) / (reference + least_norm));
      }
      compare_gradient(p);
    }
    const double reference = reference_.at("grad_norm");
    checks_.push_back(check(key("grad_norm"), std::abs(std::sqrt(squares) - reference) / reference,
                            vl_gradient_tolerance, "relative"));
    if (norms.count() > 0)
      checks_.push_back(norms.check(key("grad_norms"), vl_gradient_tolerance, "parameters, relative"));
  }

  // The file contains gradients of one run only.
  void compare_gradient(const Parameter& p) {
    const std::string name = "grad." + p.name;
    if (name_ != "batch_right" || !vl_.tensors.has(name)) return;
    const auto reference = reference_tensor(vl_.tensors, name);
    largest_difference(p.value.grad(), reference, name);  // throws if the shapes differ
    checks_.push_back(check(key(name.c_str()), size_of(p.value.grad() - reference) / (size_of(reference) + least_norm),
                            vl_gradient_tolerance, "relative"));
  }

  const VlCase& vl_;
  const std::string name_;
  const json& reference_;
  rollout::Policy& policy_;
  std::vector<Check>& checks_;
  const std::vector<VlRow> rows_;
  std::vector<int64_t> starts_;
  std::vector<Parameter> gradients_of_;
  Batch batch_;
  at::Tensor predicting_, targets_;
};

// Results of one forward pass over the whole sequence, as the trainer computes it, from the row before the first new
// token on.
struct Whole {
  at::Tensor logits, log_probs;  // [new tokens, vocabulary]; [new tokens]
};
Whole whole(rollout::Policy& policy, const rollout::Prompt& prompt, const std::vector<int32_t>& completion) {
  std::vector<int64_t> tokens(prompt.tokens.begin(), prompt.tokens.end());
  tokens.insert(tokens.end(), completion.begin(), completion.end());
  const auto start = static_cast<int64_t>(prompt.tokens.size()), added = static_cast<int64_t>(completion.size());
  Batch batch{at::tensor(tokens), {{0, start, 0, -1, {}, 0, prompt.vision}, {start, added, start, 0, {}}}};
  if (prompt.vision) batch.segments[1].rope_offset = prompt.vision->next - start;
  const auto rows = policy.model.forward(batch, nullptr).narrow(0, start - 1, added).contiguous();
  return {kernels::logits(rows, policy.head),
          kernels::token_logprobs(rows, policy.head, batch.tokens.narrow(0, start, added).contiguous(), 1.0).log_prob};
}

void check_greedy_run(const VlCase& vl, const std::string& run, rollout::Policy& policy, std::vector<Check>& checks) {
  const json& greedy = vl.golden.at(run).at("greedy");
  std::vector<rollout::Prompt> prompts;
  for (const VlRow& row : rows_of(vl, run))
    prompts.push_back({.index = static_cast<uint32_t>(prompts.size()),
                       .tokens = row.tokens,
                       .vision = encode(vl, row, policy.model)});
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

void check_runs(const VlCase& vl, rollout::Policy& policy, std::vector<Check>& checks) {
  for (const std::string& run : runs_of(vl)) Run(vl, run, policy, checks).run();
}

void check_vl_greedy(const VlCase& vl, rollout::Policy& policy, std::vector<Check>& checks) {
  for (const std::string& run : runs_of(vl)) {
    if (vl.golden.at(run).contains("greedy")) check_greedy_run(vl, run, policy, checks);
  }
}

}  // namespace compeer::verify
