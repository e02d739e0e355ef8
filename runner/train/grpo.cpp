// GRPO: one step is rollouts, rewards, reweighting, advantages, and one or more updates; one prompt's group is a leaf
// of every sum.
#include <ATen/ops/abs.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/max.h>
#include <ATen/ops/sub.h>

#include <cmath>
#include <cstring>

#include "comm/tree_sum.h"
#include "grpo/advantage.h"
#include "grpo/objective.h"
#include "train/order.h"
#include "train/rollouts.h"
#include "train/run.h"
#include "train/sequences.h"
#include "train/step_table.h"

namespace compeer::train {

namespace {

double absolute(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

class Grpo {
 public:
  explicit Grpo(Run& run)
      : run_(run),
        settings_(run.spec.table("grpo")),
        batch_(settings_.integer("batch")),
        updates_(settings_.integer("updates")),
        records_(run.cast->records(settings_.text("split"))),
        sampling_(sampling_from(run.spec.table("sampling"))),
        score_columns_(score_columns(*run.cast)),
        training_(run, settings_.number("lr"), static_cast<uint64_t>(settings_.integer("steps") * updates_)),
        gradients_(run.world, batch_, training_.parameters.size(), add),
        tallies_(run.world, batch_, kTally) {}

  void run() {
    const auto steps = static_cast<uint64_t>(settings_.integer("steps"));
    auto values = score_columns_;
    values.push_back("advantage");
    open_journal(run_, "grpo", columns(), values, steps);
    train_loop(run_, training_, steps, [&](uint64_t t, Row& row) { step(t, row); });
  }

 private:
  // Sums over the step: tokens, loss, clipped tokens, |advantage|. The same bits for any number of ranks.
  static constexpr int64_t kTally = 4;

  std::vector<std::string> columns() const {
    auto names = StepTable::columns(score_columns_);
    for (const char* name : {"advantage_abs", "loss", "clip_share", "ratio_distance", "rollout_trainer_max_diff",
                             "grad_norm", "lr", "tokens", "tokens_per_second"}) {
      names.push_back(name);
    }
    for (const auto& name : Clock::columns({"rollout", "score", "train", "reduce", "log"})) names.push_back(name);
    return names;
  }

  void step(uint64_t t, Row& row) {
    Clock clock;
    auto groups = clock.time("rollout", [&] { return run_.world.together("rollout", [&] { return sample(t); }); });
    clock.time("score", [&] {
      run_.world.together("score", [&] {
        run_.journal->phase("score");
        for (ScoredGroup& group : groups) score(*run_.cast, group);
      });
    });
    const auto advantages = advantage(groups);
    const auto size = step_size(groups, clock);
    for (int64_t u = 0; u < updates_; ++u) update(groups, advantages, size, u == 0, clock, row);
    clock.time("log", [&] { log(t, groups, advantages, size, row); });
    row.set("tokens_per_second", static_cast<double>(size.tokens) / clock.elapsed());
    clock.write(row);
  }

  std::vector<ScoredGroup> sample(uint64_t t) {
    run_.journal->phase("rollout");
    const auto mine = gradients_.mine();
    auto groups = read_prompts(*run_.cast, settings_.text("split"), mine.first, mine.count, [&](int64_t i) {
      return record_at(run_.seed(), (t - 1) * static_cast<uint64_t>(batch_) + static_cast<uint64_t>(i), records_);
    });
    roll_out(*run_.cast, groups, run_.spec.table("sampling"), settings_.integer("group_size"),
             {run_.seed(), static_cast<uint32_t>(t)});
    return groups;
  }

  std::vector<std::vector<double>> advantage(std::vector<ScoredGroup>& groups) const {
    const auto divisor = grpo::divisor_from(settings_.text("divisor"));
    std::vector<std::vector<double>> all;
    for (ScoredGroup& group : groups) {
      const auto rewards =
          at::from_blob(group.rewards.data(), {1, static_cast<int64_t>(group.rewards.size())}, at::kDouble);
      const auto a =
          grpo::group_advantage(rewards, divisor, settings_.number("divisor_value"), settings_.number("epsilon"));
      const auto* value = static_cast<const double*>(a.const_data_ptr());
      all.emplace_back(value, value + group.rewards.size());
    }
    return all;
  }

  grpo::StepSize step_size(const std::vector<ScoredGroup>& groups, Clock& clock) {
    for (const ScoredGroup& group : groups) {
      double tally[kTally] = {};
      for (const auto& s : group.samples) tally[0] += static_cast<double>(s.tokens.size());
      tallies_.add(group.index, tally);
    }
    const auto tokens = clock.time("reduce", [&] { return static_cast<int64_t>(tallies_.finish()[0]); });
    return {batch_ * settings_.integer("group_size"), tokens, sampling_.max_new_tokens};
  }

  // The loss of one group, with gradient.
  grpo::Loss loss(const ScoredGroup& group, const std::vector<double>& advantages, const grpo::StepSize& size,
                  bool first) {
    const comm::Phase here("train", run_.cast->model().identity().title());
    const auto batch = group_batch(group);
    const auto log_prob = run_.cast->model().call("forward", [&](Model& model) {
      const auto hidden = at::index_select(model.forward(batch.batch, nullptr), 0, batch.rows);
      auto& policy = run_.cast->policy();
      return policy.arithmetic.token_logprobs(hidden, policy.head, batch.targets, sampling_.temperature).log_prob;
    });
    if (first) {
      const auto difference = at::max(at::abs(at::sub(log_prob.detach(), batch.sampled_log_probs))).item<double>();
      difference_ = std::max(difference_, difference);
    }
    std::vector<double> weights;
    const auto aggregation = grpo::aggregation_from(settings_.text("loss"));
    for (const int64_t length : batch.lengths) weights.push_back(grpo::token_weight(aggregation, length, size));
    const double clip = settings_.number("clip");
    auto result = grpo::policy_loss({log_prob, batch.sampled_log_probs, batch.lengths}, advantages, weights,
                                    {clip, clip, settings_.text("level") == "sequence"});
    training_.parameters.differentiate(result.value, gradients_.room());
    return result;
  }

  void update(const std::vector<ScoredGroup>& groups, const std::vector<std::vector<double>>& advantages,
              const grpo::StepSize& size, bool first, Clock& clock, Row& row) {
    if (first) difference_ = 0;
    distance_ = 0;
    clock.time("train", [&] {
      run_.world.together("train", [&] {
        run_.journal->phase("train");
        for (size_t i = 0; i < groups.size(); ++i) {
          const auto l = loss(groups[i], advantages[i], size, first);
          const double tally[kTally] = {0.0, l.value.item<double>(), l.clipped, absolute(advantages[i])};
          gradients_.add(groups[i].index, gradients_.room());
          tallies_.add(groups[i].index, tally);
          distance_ = std::max(distance_, l.ratio_distance);
          comm::mark_progress();
        }
      });
    });
    const auto sums = clock.time("reduce", [&] { return tallies_.finish(); });
    const auto gradient = clock.time("reduce", [&] { return gradients_.finish(); });
    const auto done = clock.time(
        "train", [&] { return run_.world.together("update", [&] { return training_.update(run_, gradient); }); });
    row.set("loss", sums[1]);
    row.set("advantage_abs", sums[3] / static_cast<double>(size.completions));
    row.set("clip_share", sums[2] / static_cast<double>(size.tokens));
    row.set("grad_norm", done.gradient_norm);
    row.set("lr", done.lr);
  }

  void log(uint64_t t, const std::vector<ScoredGroup>& groups, const std::vector<std::vector<double>>& advantages,
           const grpo::StepSize& size, Row& row) {
    run_.world.together("log", [&] { run_.journal->rollouts(t, *run_.cast, groups, advantages); });
    const auto table = StepTable::gather(run_.world, groups);
    const double mine[2] = {difference_, distance_};
    const auto all = run_.world.gather({reinterpret_cast<const char*>(mine), sizeof mine});
    if (run_.world.rank() != 0) return;
    double largest[2] = {};
    for (const std::string& bytes : all) {
      double theirs[2];
      std::memcpy(theirs, bytes.data(), sizeof theirs);
      for (int i = 0; i < 2; ++i) largest[i] = std::max(largest[i], theirs[i]);
    }
    for (const auto& [name, value] : table.metrics(score_columns_)) row.set(name, value);
    row.set("rollout_trainer_max_diff", largest[0]);
    row.set("ratio_distance", largest[1]);
    row.set("tokens", static_cast<double>(size.tokens));
  }

  Run& run_;
  const Settings settings_;
  const int64_t batch_, updates_, records_;
  const rollout::Sampling sampling_;
  const std::vector<std::string> score_columns_;
  Training training_;
  comm::TreeSum gradients_;
  comm::TreeSum64 tallies_;
  double difference_ = 0, distance_ = 0;  // of this rank, in this step
};

}  // namespace

void run_grpo(Run& run) { Grpo(run).run(); }

}  // namespace compeer::train
