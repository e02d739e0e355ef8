// Evaluation: rollouts and rewards without updates. Computes metrics of a model on a split, with confidence intervals
// over dialogues.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "comm/tree_sum.h"
#include "train/batch/records.h"
#include "train/batch/step_batch.h"
#include "train/metrics/memory.h"
#include "train/metrics/reward_warnings.h"
#include "train/metrics/step_table.h"
#include "train/run.h"

namespace compeer::train {

namespace {

// By metric: one value per prompt, the mean over its completions; NaN if there is no value.
using Samples = std::map<std::string, std::vector<double>>;

void collect(const StepTable& table, const std::vector<std::string>& score_columns, Samples& samples) {
  for (int64_t g = 0; g < table.columns.prompts(); ++g) {
    for (const auto& [name, value] : table.prompt(g).metrics(score_columns)) samples[name].push_back(value);
  }
}

bool has_any(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
}

// Collective. Returns the usable records.
Records usable_records(RunContext& run) {
  const auto settings = run.spec.table("evaluate");
  const auto room = room_for_completions(spec::read_table<rollout::Sampling>(run.spec.table("sampling").json()),
                                         run.plugins->positions());
  return Records::select(run.world, *run.plugins, run.spec.table("dataset"),
                         {settings.text("split"), Records::Reserve::completion, room}, settings.integer("prompts"));
}

class EvaluationTask {
 public:
  EvaluationTask(RunContext& run, Records records)
      : run_(run),
        settings_(run.spec.table("evaluate")),
        prompts_(settings_.integer("prompts")),
        batch_(settings_.integer("batch")),
        steps_(static_cast<uint64_t>((prompts_ + batch_ - 1) / batch_)),
        sampling_(spec::read_table<rollout::Sampling>(run.spec.table("sampling").json())),
        records_(std::move(records)),
        names_(logged_score_columns(*run.plugins)),
        answers_(UnreadableAnswers::limits_of(run.plugins->rewards()), steps_) {
    if (records_.size() < prompts_) {
      throw Error(
          "evaluate.prompts",
          fmt::format("is {}, but split '{}' has only {} records", prompts_, settings_.text("split"), records_.size()),
          "lower it, or use a larger split", Exit::data);
    }
  }

  void run() {
    report_memory(run_, estimated_peak());
    auto columns = StepTable::metric_names(names_);
    columns.insert(columns.end(), {"tokens", "tokens_per_second", "peak_memory"});
    for (const auto& name : PhaseClock::columns({"rollout", "score", "log"})) columns.push_back(name);
    auto values = names_;
    values.push_back("advantage");
    open_journal(run_, "evaluate", columns, values, steps_, {&records_});
    note_dialogues();
    for (uint64_t t = 1; t <= steps_; ++t) {
      try {
        step(t);
      } catch (const Error& error) {
        if (is_stop(error.exit())) run_.world.run_on_all_ranks("stop", [&] { run_.journal->stop("preempted"); });
        throw;
      }
      if (t < steps_ && run_.world.any(run_.stop.raised())) stop(t);
    }
    run_.world.run_on_all_ranks("finish", [&] { run_.journal->close_rollouts(); });
    run_.world.run_on_all_ranks("finish", [&] {
      warn_about_silent_rewards();
      run_.journal->finish(estimates());
    });
  }

  PeakMemory estimated_peak() const {
    const int64_t mine = comm::leaves_of_rank(std::min(batch_, prompts_), run_.world.size(), run_.world.rank()).count;
    return {0, 0, kv_tokens(mine, longest_of(run_, records_, false), settings_.integer("group_size"), sampling_)};
  }

 private:
  void step(uint64_t t) {
    PhaseClock clock;
    StepScoring scoring(*run_.plugins, t, settings_.text("split"));
    StepBatch batch = clock.time(
        "rollout", [&] { return run_.world.run_on_all_ranks("rollout", [&] { return sample(t, scoring); }); });
    clock.time("score", [&] { run_.world.run_on_all_ranks("score", [&] { scoring.finish(batch, nullptr); }); });
    batch.columns.set_unknown("advantage");
    const auto table = clock.time("log", [&] {
      run_.world.run_on_all_ranks("log", [&] { run_.journal->rollouts(t, *run_.plugins, batch); });
      const double memory[] = {peak_memory()};
      return StepTable::gather(run_.world, batch, names_, memory);
    });
    MetricRow row(run_.journal->columns());
    if (run_.world.rank() == 0) fill(t, table, clock, row);
    run_.world.run_on_all_ranks("log", [&] {
      run_.journal->append(t, row);
      if (run_.world.rank() != 0) return;
      for (const auto& text : answers_.warnings_after(row)) run_.journal->warning(t, text);
      answers_.check();
    });
  }

  StepBatch sample(uint64_t t, StepScoring& scoring) {
    run_.journal->phase("rollout");
    const int64_t first = static_cast<int64_t>(t - 1) * batch_;
    const auto mine = comm::leaves_of_rank(std::min(batch_, prompts_ - first), run_.world.size(), run_.world.rank());
    auto groups = records_.read(mine.first, mine.count, [&](int64_t i) { return first + i; });
    roll_out(*run_.plugins, groups, sampling_, settings_.integer("group_size"), {run_.seed(), static_cast<uint32_t>(t)},
             [&](const PromptGroup& group) { scoring.begin(group); });
    return {std::move(groups), settings_.integer("group_size")};
  }

  void fill(uint64_t t, const StepTable& table, const PhaseClock& clock, MetricRow& row) {
    const double tokens = table.tokens();
    row.set("step", static_cast<double>(t));
    for (const auto& [name, value] : table.metrics(names_)) row.set(name, value);
    row.set("tokens", tokens);
    row.set("tokens_per_second", tokens / clock.elapsed());
    row.set("peak_memory", table.largest(0));
    clock.write(row);
    collect(table, names_, samples_);
    whole_.append(table);
  }

  void note_dialogues() {
    const std::set<uint64_t> dialogues(records_.dialogues().begin(), records_.dialogues().end());
    if (std::ssize(dialogues) < prompts_)
      run_.journal->note(
          0, fmt::format("{} prompts come from {} dialogues: confidence intervals are computed over dialogues",
                         prompts_, dialogues.size()));
  }

  void warn_about_silent_rewards() {
    if (run_.world.rank() != 0) return;
    for (const RewardTerm& term : run_.plugins->rewards()) {
      if (has_any(samples_[reward_column(term)])) continue;
      run_.journal->warning(steps_, fmt::format("reward '{}' scored no completion", term.label));
    }
  }

  // Intervals are over dialogues, which are independent. Measures of variety and deviations belong to all completions
  // together, not to one prompt, so they have no interval.
  std::map<std::string, statistics::Interval> estimates() const {
    std::map<std::string, statistics::Interval> all;
    if (run_.world.rank() != 0) return all;
    for (const auto& [name, values] : samples_) {
      if (has_any(values))
        all[name] = statistics::mean_interval(values, records_.dialogues());
      else
        all.try_emplace(name);  // keeps the metric, without a value
    }
    for (const auto& [name, value] : whole_.metrics(names_)) {
      const bool deviation = name.ends_with("_std") && name != "group_std";
      if (deviation || name.starts_with("distinct_") || name == "self_bleu") all[name] = {.mean = value, .n = 1};
    }
    return all;
  }

  void stop(uint64_t t) {
    run_.world.run_on_all_ranks("stop", [&] { run_.journal->stop("preempted"); });
    throw Error("", fmt::format("stopped after {} of {} batches as requested", t, steps_),
                "compeer resume " + run_.folder.string(), Exit::preempted);
  }

  RunContext& run_;
  const Settings settings_;
  const int64_t prompts_, batch_;
  const uint64_t steps_;
  const rollout::Sampling sampling_;
  const Records records_;
  const std::vector<std::string> names_;
  UnreadableAnswers answers_;
  Samples samples_;  // on rank 0
  StepTable whole_;  // on rank 0: all completions so far
};

}  // namespace

void run_evaluate(RunContext& run) { EvaluationTask(run, usable_records(run)).run(); }

double memory_of_evaluate(RunContext& run) {
  return rank_memory(run, EvaluationTask(run, usable_records(run)).estimated_peak()).all();
}

}  // namespace compeer::train
