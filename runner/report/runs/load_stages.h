#pragma once
#include "report/runs/run_data.h"

namespace compeer::report {

/// What became of a data run's records, stage by stage, as the details of its summary.json tell. Needs `run.spec`.
/// Throws Error (exit 4) if they can't be understood.
void load_stages(const nlohmann::json& details, RunData& run);

/// The same of a run that left no summary: how many records from its rows, why some were dropped from the files of its
/// stages, as far as there are any. Damaged files are named in `run.problems`.
void stages_of_rows(RunData& run);

/// The file of a stage's records in the run's folder: "stages/01-sage.jsonl".
std::string file_of(const StageData& stage);

/// What is wrong with that file: it is missing, ends within a line, or holds another number of records than were made.
/// "" if nothing is. No more than `bytes` are read, and a longer file passes; what the lines hold is not looked at.
std::string file_problem(const std::filesystem::path& folder, const StageData& stage, uint64_t bytes);

/// Names stages whose files have a problem that shows in their first 32 MB.
void check_stage_files(RunData& run);

/// The first records of the last stage that holds any dialogues played; their `turns` are never empty. Looks at the
/// beginnings of files only.
void load_transcripts(RunData& run);

/// The first records of every stage that judged completions.
void load_judgements(RunData& run);

}  // namespace compeer::report
