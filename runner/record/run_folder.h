#pragma once
#include <filesystem>
#include <string>

/// Queries and operations on a run's folder as a whole: whether it contains a run, whether that has finished, and how
/// the folder is renamed to make room when a run is started over under the same name. `spec.json`, `log.txt`, locks and
/// batch scripts belong to the folder and survive the renaming; all other files belong to the run.
namespace compeer::record {

/// True if a run was started in this folder: it contains run.h5, `rollouts`, `stages`, `checkpoints` or summary.json.
bool was_begun(const std::filesystem::path& run_folder);

/// True if the state in status.json is "finished" and summary.json exists. Files that can't be parsed count as missing.
/// Throws Error (exit code 1: a failure of the system) if the disk fails.
bool has_finished(const std::filesystem::path& run_folder);

/// Describes the progress of a run for messages: "a finished run", "a run that reached step 40 of 100", or, without a
/// readable status.json, "a run that was started".
std::string progress_text(const std::filesystem::path& run_folder);

/// Renames the folder of a run to `<folder>~1`, or to the next free number, and returns the new path. Creates a new
/// `<folder>` with the run's spec.json, log.txt, lock and batch script. The new folder gets the original files, so that
/// open descriptors and locks remain valid; the renamed one gets copies. If the process is killed in this call, the run
/// has either its old name or its new one. Throws Error (exit code 1) if it fails.
std::filesystem::path rename_aside(const std::filesystem::path& run_folder);

/// True if the folder's name has the form of a renamed folder, `<name>~<number>`. Runs can't be given such names.
bool is_renamed_aside(const std::filesystem::path& folder);

/// Security check before a run writes to a folder that may come from another person. Throws Error (exit code 4: refused
/// data) if a run in it would write to files elsewhere: through a symbolic link out of the folder, a pipe or a device,
/// or because a file that runs append to has a second hard link.
void refuse_outside_files(const std::filesystem::path& run_folder);

}  // namespace compeer::record
