#pragma once
#include "report/runs/run_data.h"

namespace compeer::report {

/// What became of a data run's records, stage by stage, as the details of its summary.json tell. Needs `run.spec`.
/// Throws Error (exit 4) if they can't be understood.
void load_stages(const nlohmann::json& details, RunData& run);

/// The same of a run that left no summary: how many records from its rows, why some were dropped from the files of its
/// stages, as far as there are any. Damaged files are named in `run.problems`.
void stages_of_rows(RunData& run);

/// Names stages whose files are missing, end within a line, or hold fewer records than were made.
void check_stage_files(RunData& run);

/// The first records of the last stage that holds any dialogues played; their `turns` are never empty. Looks at the
/// beginnings of files only.
void load_transcripts(RunData& run);

/// The first records of every stage that judged completions.
void load_judgements(RunData& run);

}  // namespace compeer::report
