// Writes a run's records while it runs: metrics, completions, events, status and summary.
#include "train/metrics/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "spec/history.h"
#include "spec/text.h"

namespace compeer::train {

namespace {

constexpr size_t recent = 20;  // number of last rows that the summary averages

// The prompt as text for readers; the placeholders of an image are shown as one.
std::string prompt_text(const RunPlugins& plugins, std::vector<int32_t> tokens) {
  const auto of_one = [&](int32_t a, int32_t b) { return a == b && plugins.vision_input().is_placeholder(a); };
  tokens.erase(std::unique(tokens.begin(), tokens.end(), of_one), tokens.end());
  return plugins.tokenizer().decode(tokens, true);
}

}  // namespace

Journal::Journal(const comm::World& world, Plan plan)
    : plan_(std::move(plan)), start_(std::chrono::steady_clock::now()) {
  if (!plan_.values.empty()) {
    rollouts_.emplace(plan_.folder / "rollouts", world.rank(), plan_.values);
    rollouts_->resume(plan_.done, world.size());
  }
  if (world.rank() != 0) return;
  const auto file = plan_.folder / "run.h5";
  std::vector<std::string> changes;
  if (plan_.done > 0) changes = spec::new_changes(record::RunReader(file).spec_text(), plan_.spec_text);
  run_ = plan_.done > 0 ? record::RunWriter::resume(file, plan_.done, plan_.columns, plan_.spec_text)
                        : record::RunWriter::create(file, plan_.spec_text, plan_.columns);
  if (plan_.done > 0) {
    note(plan_.done, "resumed after step " + std::to_string(plan_.done));
    for (const auto& change : changes) note(plan_.done, change);
    const record::RunReader reader(file);
    // Training does not depend on earlier rows, so damage is only a warning.
    for (const uint64_t row : reader.damaged_rows())
      warning(plan_.done, fmt::format("row {} of run.h5 is damaged: checksum mismatch", row + 1));
    for (const auto& column : plan_.columns) {
      const auto values = reader.column(column);
      recent_.resize(std::min<size_t>(recent, values.size()));
      for (size_t i = 0; i < recent_.size(); ++i) recent_[i].push_back(values[values.size() - recent_.size() + i]);
    }
  }
  status_ = record::starting_status(plan_.folder);
  start_ -=
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(status_.elapsed));
  status_.state = "running";
  status_.step = plan_.done;
  status_.steps = plan_.steps;
  status_.ranks = world.size();
  publish(true);
}

void Journal::rollouts(uint64_t step, const RunPlugins& plugins, const StepBatch& mine) {
  if (!rollouts_) return;
  std::vector<record::RolloutRow> rows;
  for (size_t g = 0; g < mine.groups.size(); ++g) {
    const PromptGroup& group = mine.groups[g];
    std::vector<std::vector<double>> values;
    for (const auto& name : plan_.values) values.push_back(mine.columns.row(name, g));
    for (size_t c = 0; c < group.samples.size(); ++c) {
      record::RolloutRow row;
      row.step = step;
      row.prompt = static_cast<uint64_t>(group.index);
      row.completion = c;
      if (c == 0) {
        row.example_id = group.example.id;
        row.prompt_tokens = group.prompt;
        row.prompt_text = prompt_text(plugins, group.prompt);
      }
      row.text = group.completions[c].text;
      row.tokens = group.samples[c].tokens;
      row.logprobs = group.samples[c].log_probs;
      for (const auto& column : values) row.values.push_back(column[c]);
      row.finished = group.samples[c].finished;
      rows.push_back(std::move(row));
    }
  }
  rollouts_->append(rows);
}

void Journal::append(uint64_t step, MetricRow row) {
  if (!run_) return;
  const auto start = std::chrono::steady_clock::now();
  if (row.has("seconds/log")) {
    for (const char* column : {"seconds/log", "seconds/step"}) row.set(column, row.get(column) + appending_);
  }
  run_->append(row.values());
  recent_.push_back(row.values());
  if (recent_.size() > recent) recent_.pop_front();
  status_.step = step;
  publish(step == plan_.steps);
  appending_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Journal::phase(const std::string& phase) {
  if (!run_) return;
  status_.phase = phase;
  publish(false);
}

void Journal::sync() {
  if (rollouts_) rollouts_->sync();
  if (run_) run_->sync();
}

void Journal::event(uint64_t step, const std::string& text) {
  if (run_) run_->event(static_cast<double>(step), "info", text);
}

void Journal::note(uint64_t step, const std::string& text) {
  if (!run_) return;
  fmt::print(stderr, "compeer: note: {}\n", spec::printable(text, 1000));
  event(step, text);
}

void Journal::end_at(uint64_t step, const std::string& why) {
  if (!run_) return;
  note(step, fmt::format("{}{} of {}: {}", record::early_end, step, plan_.steps, why));
  plan_.steps = status_.steps = step;
}

void Journal::warning(uint64_t step, const std::string& text) {
  if (!run_) return;
  fmt::print(stderr, "compeer: warning: {}\n", text);
  run_->event(static_cast<double>(step), "warning", text);
}

void Journal::publish(bool now) {
  const auto time = std::chrono::steady_clock::now();
  if (!now && time - published_ < std::chrono::milliseconds(200)) return;
  published_ = time;
  status_.elapsed = std::chrono::duration<double>(time - start_).count();
  for (size_t i = 0; !recent_.empty() && i < plan_.columns.size(); ++i)
    status_.metrics[plan_.columns[i]] = recent_.back()[i];
  record::write_status(plan_.folder, status_);
}

// Means over the last rows. The rows of a run are not independent, so the means have no confidence interval.
std::map<std::string, statistics::Interval> Journal::recent_means() const {
  std::map<std::string, statistics::Interval> means;
  for (size_t i = 0; i < plan_.columns.size(); ++i) {
    double sum = 0;
    int64_t n = 0;
    for (const auto& row : recent_) {
      if (std::isfinite(row[i])) sum += row[i], ++n;
    }
    if (n > 0 && plan_.columns[i] != "step") means[plan_.columns[i]] = {.mean = sum / static_cast<double>(n), .n = n};
  }
  return means;
}

void Journal::close_rollouts() {
  if (rollouts_) rollouts_->finish();
}

void Journal::finish(const std::optional<std::map<std::string, statistics::Interval>>& estimates) {
  if (!run_) return;
  auto metrics = recent_means();
  if (estimates) {
    for (const auto& [name, value] : *estimates) metrics[name] = value;
  }
  record::write_summary(plan_.folder, {plan_.task, status_.step, metrics, {{"data", data_}}});
  stop("finished");
}

void Journal::stop(const std::string& state) {
  if (!run_) return;
  run_->finish(state);
  status_.state = state;
  publish(true);
}

}  // namespace compeer::train
