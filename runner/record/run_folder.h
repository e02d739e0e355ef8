#pragma once
#include <filesystem>
#include <string>

/// A run's folder as a whole: whether a run was begun in it, whether it is over, and how it is put out of the way of
/// another start. `spec.json`, `log.txt`, locks and batch scripts belong to the folder; all else that a worker writes
/// belongs to one start and what resumed it.
namespace compeer::record {

/// A run was begun here, whatever has become of it: there are rows, rollouts, stages, checkpoints or a summary.
bool was_begun(const std::filesystem::path& run_folder);

/// status.json says so and there is a summary. One that can't be read is as good as none.
bool has_finished(const std::filesystem::path& run_folder);

/// How far a run came, in words: "a finished run of 100 steps", "a run that came to step 40 of 100".
std::string progress_text(const std::filesystem::path& run_folder);

/// Puts a run that was begun out of the way: it keeps its files as they are, but its folder has the name that is
/// returned now, `<folder>~1` or the next number that is free. `<folder>` is a new one, with its spec.json, log.txt and
/// batch script (the same files, so that open ones and locks go on), and with copies of what chat models answered.
/// Killed in here, the run has either its old name or its new one. Throws Error (exit 1).
std::filesystem::path set_aside(const std::filesystem::path& run_folder);

/// Whether a folder has such a name, which no run can be given.
bool is_set_aside(const std::filesystem::path& folder);

/// Throws Error (exit 4) if a run in this folder, which somebody else may have made, would write into files elsewhere:
/// by links (`refuse_links`), or because a file that it appends to has a second name.
void refuse_outside_files(const std::filesystem::path& run_folder);

}  // namespace compeer::record
