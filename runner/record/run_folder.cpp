// State of a run's folder, and its renaming before a fresh start.
#include "record/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <regex>

#include "base/error.h"
#include "base/files.h"
#include "base/inside.h"
#include "record/status.h"

namespace compeer::record {

namespace fs = std::filesystem;

namespace {

constexpr std::array begun_names = {"run.h5", "rollouts", "stages", "checkpoints", "summary.json"};

// Files that belong to the folder, not to the run. Processes may have them open or locked.
constexpr std::array held_names = {"spec.json", "log.txt", ".lock", "job.sh", "job.json"};

// Creates a hard link, or a copy if the file system has no hard links.
void share(const fs::path& from, const fs::path& to) {
  if (!fs::is_regular_file(fs::symlink_status(from))) return;
  std::error_code code;
  fs::create_hard_link(from, to, code);
  if (code) fs::copy_file(from, to);
}

// Replaces a hard link with a copy of the file.
void part(const fs::path& file) {
  if (!fs::is_regular_file(fs::symlink_status(file))) return;
  fs::path copy = file;
  copy += ".part";
  fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
  fs::rename(copy, file);
}

// Creates an empty folder with the first free name `<folder>~<number>`.
fs::path make_beside(const fs::path& folder) {
  for (int number = 1;; ++number) {
    fs::path beside = folder;
    beside += fmt::format("~{}", number);
    if (!fs::exists(fs::symlink_status(beside)) && fs::create_directory(beside)) return beside;
  }
}

// Exchanges the names of two folders: atomically, or with a third name if the file system does not support that.
void swap_names(const fs::path& a, const fs::path& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return;
  fs::path third = b;
  third += ".part";
  fs::rename(b, third);
  fs::rename(a, b);
  fs::rename(third, a);
}

// True for files that runs write in place. All other files are replaced as a whole.
bool is_appended_to(const fs::path& file) {
  const auto name = file.filename().string();
  return name == "log.txt" || name == "run.h5" || name.ends_with(".h5.part") ||
         file.parent_path().filename() == "asked";
}

// True if the second hard link is in a renamed folder: `rename_aside` was killed before it made the copy.
bool is_shared_aside(const fs::path& file, const fs::path& folder) {
  if (fs::hard_link_count(file) != 2) return false;
  const auto own = fs::canonical(folder);
  for (const auto& entry : entries_of(own.parent_path())) {
    std::error_code code;
    if (is_renamed_aside(entry) && fs::equivalent(entry.path() / file.filename(), file, code)) return true;
  }
  return false;
}

}  // namespace

bool was_begun(const fs::path& run_folder) {
  std::error_code code;
  return std::any_of(begun_names.begin(), begun_names.end(),
                     [&](const char* name) { return fs::exists(fs::symlink_status(run_folder / name, code)); });
}

bool has_finished(const fs::path& run_folder) {
  try {
    const auto status = read_status(run_folder);
    return status && status->state == "finished" && read_summary(run_folder);
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    return false;
  }
}

std::string progress_text(const fs::path& run_folder) {
  if (has_finished(run_folder)) return "a finished run";
  try {
    if (const auto status = read_status(run_folder))
      return fmt::format("a run that reached step {} of {}", status->step, status->steps);
  } catch (const Error&) {
  }
  return "a run that was started";
}

fs::path rename_aside(const fs::path& run_folder) {
  fs::path beside;
  try {
    const fs::path folder = fs::canonical(run_folder);
    beside = make_beside(folder);
    for (const char* name : held_names) share(folder / name, beside / name);
    swap_names(folder, beside);
    for (const char* name : held_names) part(beside / name);
    fs::remove(beside / ".lock");
    sync_folder(folder.parent_path());
    return beside;
  } catch (const fs::filesystem_error& error) {
    std::error_code none;
    if (!beside.empty() && !was_begun(beside)) fs::remove_all(beside, none);
    throw Error(run_folder.string(), "can't be renamed to make room for a new run: " + error.code().message(),
                "check free space and write permission in its parent folder", Exit::failure);
  }
}

bool is_renamed_aside(const fs::path& folder) {
  static const std::regex form(".*~[1-9][0-9]*");
  return std::regex_match(folder.filename().string(), form);
}

void refuse_outside_files(const fs::path& run_folder) {
  refuse_links(run_folder);
  for (const auto& entry : entries_below(run_folder)) {
    if (!entry.is_regular_file() || !is_appended_to(entry) || entry.hard_link_count() == 1) continue;
    if (is_shared_aside(entry, run_folder)) continue;
    throw Error(entry.path().string(), "has a second hard link elsewhere, and a run would write into it",
                "replace it with a copy, or start over under another name", Exit::data);
  }
}

}  // namespace compeer::record
