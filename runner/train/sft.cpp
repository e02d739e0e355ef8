// Supervised fine-tuning: maximum likelihood of answers, or of all tokens. The records of one micro-batch are
// differentiated together and are one leaf of the gradient sum.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "comm/tree_sum.h"
#include "train/batch/records.h"
#include "train/batch/sequences.h"
#include "train/metrics/memory.h"
#include "train/run.h"
#include "train/update/training.h"
#include "train/validation.h"

namespace compeer::train {

namespace {

bool any_finite(const at::Tensor& numbers) { return at::isfinite(numbers).any().item().toBool(); }

bool learns_all(const RunContext& run) { return run.spec.table("sft").text("loss_on") == "all"; }

Records::RecordFilter usable(const RunContext& run) {
  return {run.spec.table("sft").text("split"),
          learns_all(run) ? Records::Reserve::answer : Records::Reserve::required_answer};
}

// Collective. Returns the usable records, in the order of training.
Records usable_records(RunContext& run) {
  const auto settings = run.spec.table("sft");
  const auto count = static_cast<uint64_t>(settings.integer("steps") * settings.integer("batch"));
  auto wanted = usable(run);
  wanted.neighbours = settings.integer("neighbours");
  return Records::shuffled(run.world, *run.plugins, run.spec.table("dataset"), std::move(wanted), run.seed(), count);
}

class Sft {
 public:
  Sft(RunContext& run, Records records)
      : run_(run),
        settings_(run.spec.table("sft")),
        batch_(settings_.integer("batch")),
        all_(learns_all(run)),
        records_(std::move(records)),
        together_(settings_.integer("micro_batch")),
        steps_(static_cast<uint64_t>(settings_.integer("steps"))),
        training_(run, settings_.number("lr"), steps_),
        validation_(run, training_, steps_, {"loss"}, "loss", [this](uint64_t) { return validate(); }),
        gradients_(training_.gradients(leaves())),
        counts_(run.world, leaves(), 1),
        losses_(run.world, leaves(), 1) {}

  // Collective. Selects the records for validation.
  void open_validation() {
    if (auto records = held_out_records(run_, usable(run_))) held_out_.emplace(std::move(*records));
  }

  void run() {
    auto columns = PhaseClock::columns({"read", "train", "reduce"});
    columns.insert(columns.begin(), {"loss", "grad_norm", "lr", "tokens", "tokens_per_second"});
    columns.emplace_back("peak_memory");
    if (training_.numerical_check.skips_steps()) columns.emplace_back("left_out");
    for (const auto& name : validation_.columns()) columns.push_back(name);
    report_memory(run_, estimated_peak());
    std::vector<const Records*> read{&records_};
    if (held_out_) read.push_back(&*held_out_);
    open_journal(run_, "sft", columns, {}, steps_, read);
    train_loop(run_, training_, validation_, steps_, [&](uint64_t t, MetricRow& row) { step(t, row); });
  }

  PeakMemory estimated_peak() const {
    const int64_t longest = longest_of(run_, records_, true);
    return {gradients_of(gradients_.mine().count, true), std::min(together_, batch_) * longest, 0, true};
  }

 private:
  // Collective. Returns the validation loss: the mean over all target tokens, summed in the order of the records, so
  // that it does not depend on the number of ranks.
  Validation::Metrics validate() {
    const at::NoGradGuard no_grad;
    const auto mine = comm::leaves_of_rank(held_out_->size(), run_.world.size(), run_.world.rank());
    const auto own = run_.world.run_on_all_ranks("validate", [&] {
      run_.journal->phase("validate");
      std::vector<double> sums;  // per record: sum of its log-probs, number of its targets
      for (const auto& group : held_out_->read(mine.first, mine.count, [](int64_t i) { return i; })) {
        const auto one = make_training_sequence(*run_.plugins, group, all_);
        const auto known = run_.plugins->model().call(
            "forward", [&](Model&) { return log_probs(run_.plugins->policy(), std::span(&one, 1)); });
        sums.push_back(at::sum(known, at::kDouble).item().toDouble());
        sums.push_back(static_cast<double>(one.targets()));
        comm::mark_progress();
      }
      return sums;
    });
    const auto all = from_all_ranks(run_.world, own);
    double sum = 0, targets = 0;
    for (size_t i = 0; i < all.size(); i += 2) sum += all[i], targets += all[i + 1];
    return {{"loss", -sum / targets}};
  }

  int64_t leaves() const { return (batch_ + together_ - 1) / together_; }

  void step(uint64_t t, MetricRow& row) {
    PhaseClock clock;
    const auto lessons =
        clock.time("read", [&] { return run_.world.run_on_all_ranks("read", [&] { return read(t); }); });
    const double tokens = clock.time("reduce", [&] { return counts_.finish()[0]; });
    clock.time("train", [&] { run_.world.run_on_all_ranks("train", [&] { learn(lessons, tokens); }); });
    const double loss = clock.time("reduce", [&] { return losses_.finish()[0]; });
    const auto update = training_.update(t, loss, gradients_, clock);
    row.set("loss", loss);
    row.set("grad_norm", update.gradient_norm);
    row.set("lr", update.lr);
    row.set("tokens", tokens);
    row.set("tokens_per_second", tokens / clock.elapsed());
    row.set("peak_memory", std::ranges::max(from_all_ranks(run_.world, {peak_memory()})));
    if (training_.numerical_check.skips_steps()) row.set("left_out", training_.numerical_check.take_skipped());
    clock.write(row);
  }

  // Reads this rank's sequences of the step, one list per leaf, and counts their targets: the loss is a mean over the
  // targets of all ranks.
  std::vector<std::vector<TrainingSequence>> read(uint64_t t) {
    run_.journal->phase("read");
    const auto mine = gradients_.mine();
    const auto record_of = [&](int64_t i) {
      return records_.at((t - 1) * static_cast<uint64_t>(batch_) + static_cast<uint64_t>(i));
    };
    std::vector<std::vector<TrainingSequence>> lessons;
    for (int64_t leaf = mine.first; leaf < mine.first + mine.count; ++leaf) {
      const int64_t first = leaf * together_, count = std::min(together_, batch_ - first);
      auto& own = lessons.emplace_back();
      double targets = 0;
      for (const auto& group : records_.read(first, count, record_of)) {
        own.push_back(make_training_sequence(*run_.plugins, group, all_));
        targets += static_cast<double>(own.back().targets());
      }
      counts_.add(leaf, {&targets, 1});
    }
    return lessons;
  }

  void learn(const std::vector<std::vector<TrainingSequence>>& lessons, double tokens) {
    run_.journal->phase("train");
    const comm::Phase here("train", run_.plugins->model().identity().title());
    int64_t leaf = gradients_.mine().first;
    bool works = false;
    for (const auto& own : lessons) {
      const auto known =
          run_.plugins->model().call("forward", [&](Model&) { return log_probs(run_.plugins->policy(), own); });
      const auto loss = at::mul(at::sum(known), -1.0 / tokens);
      const auto gradient = gradients_.next_leaf_buffer();
      training_.parameters.differentiate(loss, gradient, {.is_zero = true}, gradients_.early_adder());
      const double value = loss.item().toDouble();
      training_.numerical_check.check(leaf_text("record", leaf, together_, batch_) + " of the step", value,
                                      training_.parameters.finite());
      works = works || std::isfinite(value) || any_finite(known);
      gradients_.add(leaf, gradient);
      losses_.add(leaf++, {&value, 1});
      comm::mark_progress();
    }
    training_.numerical_check.set_model_works(works);
  }

  RunContext& run_;
  const Settings settings_;
  const int64_t batch_;
  const bool all_;  // true: all tokens are targets; false: only those of answers
  const Records records_;
  const int64_t together_;
  const uint64_t steps_;
  Training training_;
  Validation validation_;
  std::optional<Records> held_out_;  // validation records
  Gradients gradients_;
  comm::TreeSum64 counts_, losses_;
};

}  // namespace

void run_sft(RunContext& run) {
  Sft sft(run, usable_records(run));
  sft.open_validation();
  sft.run();
}

double memory_of_sft(RunContext& run) { return rank_memory(run, Sft(run, usable_records(run)).estimated_peak()).all(); }

}  // namespace compeer::train
