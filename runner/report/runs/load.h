#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// A folder is a run if it holds spec.json, run.h5 or status.json.
bool is_run(const std::filesystem::path& folder);

/// The runs meant by these paths: a run itself; of any other folder the runs directly in it, by name, but for those
/// that --fresh has set aside. Each run once.
/// Throws Error (exit 4) for a path that does not exist, and if there is no run at all.
std::vector<std::filesystem::path> find_runs(const std::vector<std::filesystem::path>& paths);

/// Everything that can be read of a run, finished or not. What is missing or broken is named in `problems`.
RunData load_run(const std::filesystem::path& folder);

/// The file of a stage's records in the run's folder: "stages/01-sage.jsonl".
std::string file_of(const StageData& stage);

/// What is wrong with that file: it is missing, ends within a line, or holds another number of records than were made.
/// "" if nothing is. No more than `bytes` are read, and a longer file passes; what the lines hold is not looked at.
std::string file_problem(const std::filesystem::path& folder, const StageData& stage, uint64_t bytes);

// What `load_run` is made of; each fills in its part of `run`.

/// Groups kept for showing: of an evaluation the first 24 of its rollouts, of a training run the first two of the
/// first and of the last step. None is chosen by what is in it.
///
/// For an evaluation also fills `per_prompt` (unless it sampled more than 50,000 completions).
/// Throws Error (exit 4) if the rollouts can't be read.
void load_samples(const std::filesystem::path& folder, RunData& run);

/// What became of a data run's records, stage by stage, as the details of its summary.json tell. Needs `run.spec`.
/// Throws Error (exit 4) if they can't be understood.
void load_stages(const nlohmann::json& details, RunData& run);

/// The same of a run that left no summary: how many records from its rows, why some were dropped from the files of its
/// stages, as far as there are any. Damaged files are named in `run.problems`.
void stages_of_rows(RunData& run);

/// Names stages whose files have a problem that shows in their first 32 MB.
void check_stage_files(RunData& run);

/// The first records of stages, for showing: dialogues, of the last stage that holds any and of those that judged them,
/// and whatever else was measured. `turns` of a dialogue, {"role", "text"} and numbers, are made from `history` of
/// {"role", "content"} where there are none. Looks at the beginnings of files only.
void load_records(RunData& run);

/// "results/A/checkpoints/last", "results/A/stages/02-sample.jsonl" -> "results/A"; any other path as it is.
std::filesystem::path run_folder(const std::filesystem::path& path);

/// Calls `visit` for every text in a spec, with its path: "rewards[0].model".
void each_text(nlohmann::json& spec, const std::function<void(const std::string& path, nlohmann::json& text)>& visit);

}  // namespace compeer::report
