#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// True if the folder contains spec.json, run.h5 or status.json.
bool is_run(const std::filesystem::path& folder);

/// Returns the run folders for these paths: a run itself; for any other folder the runs directly in it, sorted by name,
/// except those that --fresh has set aside. Without duplicates. Throws Error (exit 4) if a path does not exist or there
/// is no run.
std::vector<std::filesystem::path> find_runs(const std::vector<std::filesystem::path>& paths);

/// Loads everything readable of a run, finished or not. Missing or damaged files are listed in `RunData::problems`.
/// Throws Error (exit 1) on an I/O error.
RunData load_run(const std::filesystem::path& folder);

/// Returns the file of a stage's records within the run's folder: "stages/01-sage.jsonl".
std::string file_of(const StageData& stage);

/// Returns the problem of that file: missing, ends within a line, or a different number of records than recorded; "" if
/// there is none. Reads at most `bytes`; longer files pass. The lines are not parsed.
std::string file_problem(const std::filesystem::path& folder, const StageData& stage, uint64_t bytes);

// Parts of `load_run`; each fills in its part of `run`.

/// Loads a few groups of completions for display: for an evaluation the first 24, for training the first two of the
/// first and of the last step. Selected by order only. For an evaluation also fills `per_prompt`, unless it sampled
/// more than 50,000 completions. Throws Error (exit 4) if rollouts can't be read or are missing.
void load_samples(const std::filesystem::path& folder, RunData& run);

/// Loads the stages of a data run from the details of its summary.json. Needs `run.spec`. Throws Error (exit 4) if they
/// are invalid.
void load_stages(const nlohmann::json& details, RunData& run);

/// Loads the stages of a run without a summary: numbers of records from its rows, reasons from the files of dropped
/// records, as far as they exist. Damaged files are listed in `run.problems`.
void stages_of_rows(RunData& run);

/// Adds the problems of stages' files that their first 32 MB show to `run.problems`.
void check_stage_files(RunData& run);

/// Loads the first records of stages for display: dialogues of the last stage that has any and of earlier stages that
/// judged them; other records of stages that measure. `turns`, {"role", "text"} and numbers, is made from `history`,
/// {"role", "content"}, if it is missing. Reads only the beginnings of files.
void load_records(RunData& run);

/// Returns the run folder that contains the path: "results/A/checkpoints/last", "results/A/stages/02-sample.jsonl" ->
/// "results/A"; any other path unchanged.
std::filesystem::path run_folder(const std::filesystem::path& path);

/// Calls `visit` for every string in a spec, with its path: "rewards[0].model".
void each_text(nlohmann::json& spec, const std::function<void(const std::string& path, nlohmann::json& text)>& visit);

}  // namespace compeer::report
