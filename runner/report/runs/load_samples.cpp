// Loads groups of completions from a run's rollouts.
#include "report/runs/load.h"

#include <fmt/format.h>

#include "base/error.h"
#include "record/rollout_file.h"

namespace compeer::report {

namespace {

constexpr size_t groups_of_evaluation = 24;
constexpr size_t groups_of_step = 2;
constexpr uint64_t most_completions = 50'000;

SampledCompletion completion(const record::RolloutRow& row, const std::vector<std::string>& columns) {
  SampledCompletion one;
  one.text = row.text;
  one.tokens = static_cast<int64_t>(row.tokens.size());
  one.finished = row.finished;
  for (size_t i = 0; i < columns.size() && i < row.values.size(); ++i)
    one.values.emplace_back(columns[i], row.values[i]);
  return one;
}

/// Adds groups from the rows of one step to `run.groups`, up to `most` of them.
void keep_groups(const std::vector<record::RolloutRow>& rows, const std::vector<std::string>& columns, size_t most,
                 RunData& run) {
  const size_t limit = run.groups.size() + most;
  std::optional<uint64_t> current;
  for (const auto& row : rows) {
    if (current != row.prompt) {
      if (run.groups.size() == limit) return;
      current = row.prompt;
      run.groups.push_back({static_cast<int64_t>(row.step), row.example_id, row.prompt_text, {}});
    }
    run.groups.back().completions.push_back(completion(row, columns));
  }
}

void load_evaluation(const record::RolloutReader& reader, uint64_t completions, RunData& run) {
  const bool compare = completions <= most_completions;
  const auto columns = reader.value_columns();
  std::map<std::string, int64_t> of_example;
  for (const uint64_t step : reader.steps()) {
    if (!compare && run.groups.size() >= groups_of_evaluation) break;
    const auto rows = reader.read(step);
    if (run.groups.size() < groups_of_evaluation)
      keep_groups(rows, columns, groups_of_evaluation - run.groups.size(), run);
    for (size_t i = 0; compare && i < rows.size(); ++i) {
      ++of_example[rows[i].example_id];
      for (size_t k = 0; k < columns.size() && k < rows[i].values.size(); ++k)
        run.per_prompt[columns[k]][rows[i].example_id] += rows[i].values[k];
    }
  }
  for (auto& [metric, examples] : run.per_prompt) {
    for (auto& [example, sum] : examples) sum /= static_cast<double>(of_example[example]);
  }
}

int64_t setting(const RunData& run, const char* key) {
  const auto place = nlohmann::json::json_pointer("/" + run.task + "/" + key);
  return run.spec.contains(place) && run.spec[place].is_number_integer() ? run.spec[place].get<int64_t>() : 0;
}

/// Returns the minimum number of completions that a finished run sampled; 0 if it is unknown.
int64_t sampled(const RunData& run) {
  const int64_t prompts =
      run.task == "grpo" ? static_cast<int64_t>(run.rows()) * setting(run, "batch") : run.estimate("reward").n;
  return run.finished() ? prompts * setting(run, "group_size") : 0;
}

/// Throws if the spec says that rollouts are recorded but some are missing.
void check_all_there(const RunData& run, uint64_t completions) {
  const nlohmann::json::json_pointer kept("/record/rollouts");
  const bool samples = run.task == "grpo" || run.task == "evaluate";
  if (!samples || run.rows() == 0 || !run.spec.contains(kept) || run.spec[kept] != true) return;
  if (completions == 0) throw Error("", "missing, though the run recorded them", "", Exit::data);
  if (const auto all = static_cast<uint64_t>(sampled(run)); completions < all)
    throw Error("", fmt::format("{} of {} completions are missing", all - completions, all), "", Exit::data);
}

/// Keeps the first groups of the first and of the last step.
void load_training(const record::RolloutReader& reader, uint64_t first, uint64_t last, RunData& run) {
  keep_groups(reader.read(first), reader.value_columns(), groups_of_step, run);
  if (last != first) keep_groups(reader.read(last), reader.value_columns(), groups_of_step, run);
}

}  // namespace

void load_samples(const std::filesystem::path& folder, RunData& run) {
  const record::RolloutReader reader(folder);
  const auto counts = reader.counts();
  uint64_t completions = 0;
  for (const auto& [step, n] : counts) completions += n;
  if (run.task == "evaluate") {
    load_evaluation(reader, completions, run);
  } else if (!counts.empty()) {
    load_training(reader, counts.begin()->first, counts.rbegin()->first, run);
  }
  check_all_there(run, completions);
}

}  // namespace compeer::report
