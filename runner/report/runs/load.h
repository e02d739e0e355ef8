#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

/// Finding and loading of runs for the report. A run's folder contains spec.json (all settings), run.h5 (rows of
/// metrics), status.json, summary.json (results), rollouts (sampled completions) and, for runs of the task "data", the
/// records that left each stage.
namespace compeer::report {

/// True if the folder contains spec.json, run.h5 or status.json.
bool is_run(const std::filesystem::path& folder);

/// Returns the run folders for these paths: a run folder itself; for any other folder the run folders directly in it,
/// sorted by name, except those named `<run>~<number>`, which were renamed when a run was started over. Without
/// duplicates. Throws Error (exit code 4: invalid data) if a path does not exist or is a folder without runs.
std::vector<std::filesystem::path> find_runs(const std::vector<std::filesystem::path>& paths);

/// Loads everything readable of a run, finished or not. Missing or damaged files are listed in `RunData::problems`.
/// Throws Error (exit code 1: a failure of the system) on an I/O error.
RunData load_run(const std::filesystem::path& folder);

/// Returns the file of the records that left a stage, relative to the run's folder: "stages/01-sage.jsonl".
std::string file_of(const StageData& stage);

/// Returns the problem of that file in the run's folder `folder`: missing, ends within a line, or a different number of
/// records (lines) than StageData::out; "" if there is none. Reads about `bytes` bytes at most; the rest of a longer
/// file is not checked. The lines are not parsed.
std::string file_problem(const std::filesystem::path& folder, const StageData& stage, uint64_t bytes);

// Parts of load_run(); each fills in its part of `run`, which already has its folder and its spec.

/// Loads a few groups of completions for display: for an evaluation the first 24, for training the first two of the
/// first and of the last step. Selected by order only. For an evaluation also fills `per_prompt`, unless it sampled
/// more than 50,000 completions. `folder`: the run's folder. Throws Error (exit code 4) if rollouts can't be read, or
/// are missing though the spec turns their recording on.
void load_samples(const std::filesystem::path& folder, RunData& run);

/// Loads the stages of a data run. `details`: member "details" of its summary.json. Throws Error (exit code 4) if they
/// are invalid.
void load_stages(const nlohmann::json& details, RunData& run);

/// Loads the stages of a run without a summary: numbers of records from its rows, reasons from the files of dropped
/// records, as far as they exist. Damaged files are listed in `run.problems`.
void stages_of_rows(RunData& run);

/// Adds the problems of stages' files that their first 32 MB show to `run.problems`.
void check_stage_files(RunData& run);

/// Loads the first records of stages into StageData::records, for display: dialogues of the last stage that has any,
/// and of earlier stages that judged them; for stages that measure something but have no dialogues, their other
/// records. A dialogue is a record with "turns", a list of {"role", "text"} and numbers such as scores; if "turns" is
/// missing, it is made from "history", a list of {"role", "content"}. Reads only the beginnings of files.
void load_records(RunData& run);

/// Returns the run folder that contains a checkpoint or a stage's file: "results/A" for "results/A/checkpoints/last"
/// and for "results/A/stages/02-sample.jsonl"; any other path unchanged. Only the path is examined, not the disk.
std::filesystem::path run_folder(const std::filesystem::path& path);

/// Calls `visit` for every string in a spec, with the path of its setting, "rewards[0].model", and the string itself,
/// which may be replaced.
void each_text(nlohmann::json& spec, const std::function<void(const std::string& path, nlohmann::json& text)>& visit);

}  // namespace compeer::report
