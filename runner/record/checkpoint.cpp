// Writes, verifies, selects and removes checkpoints.
#include "record/checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

namespace compeer::record {

namespace {

using nlohmann::json;
using Path = std::filesystem::path;

Path folder_of(const Path& run_folder, uint64_t step) {
  return run_folder / "checkpoints" / fmt::format("step-{:06}", step);
}

json manifest_of(const Path& folder, uint64_t step) {
  json files = json::object();
  for (const auto& entry : entries_below(folder)) {
    if (!entry.is_regular_file()) continue;
    files[std::filesystem::relative(entry.path(), folder).string()] = {{"size", entry.file_size()},
                                                                       {"sha256", sha256_file(entry.path())}};
  }
  return {{"format", 1}, {"step", step}, {"files", files}};
}

void sync_tree(const Path& folder) {
  for (const auto& entry : entries_below(folder))
    entry.is_directory() ? sync_folder(entry.path()) : sync_file(entry.path());
  sync_folder(folder);
}

// Removes a checkpoint. Renames it first, so that a kill leaves no partial checkpoint that would look damaged.
void remove_at_once(const Path& folder) {
  Path aside = folder;
  aside += ".old.part";
  std::filesystem::remove_all(aside);
  std::filesystem::rename(folder, aside);
  std::filesystem::remove_all(aside);
}

// True if the path stays inside the checkpoint: the manifest may come from someone else.
bool is_inside(const Path& name) {
  return !name.empty() && name.is_relative() && std::find(name.begin(), name.end(), "..") == name.end();
}

std::string damage_of_file(const Path& folder, const std::string& name, const json& wanted) {
  if (!is_inside(name) || !wanted.is_object() || !wanted.contains("size") || !wanted.contains("sha256"))
    return "manifest.json has an invalid entry '" + name + "'";
  std::error_code code;
  const auto size = std::filesystem::file_size(folder / name, code);
  if (code && is_system_failure(code.value())) throw read_error(folder / name, code.value());
  if (code) return name + " is missing";
  if (wanted["size"] != size) return fmt::format("{} has {} bytes, should have {}", name, size, wanted["size"].dump());
  if (wanted["sha256"] != sha256_file(folder / name))
    return name + " was modified after it was written: SHA-256 mismatch";
  return "";
}

}  // namespace

std::optional<uint64_t> step_of(const Path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with("step-")) return {};
  uint64_t step = 0;
  const char *begin = name.data() + 5, *end = name.data() + name.size();
  const auto read = std::from_chars(begin, end, step);
  if (begin == end || read.ec != std::errc() || read.ptr != end) return {};
  return step;
}

CheckpointWriter::CheckpointWriter(const Path& run_folder, uint64_t step)
    : run_folder_(run_folder), part_(folder_of(run_folder, step)), step_(step) {
  part_ += ".part";
  std::filesystem::remove_all(part_);
  std::filesystem::create_directories(part_);
}

CheckpointWriter::~CheckpointWriter() {
  std::error_code ignored;
  if (!committed_) std::filesystem::remove_all(part_, ignored);
}

Path CheckpointWriter::commit(const json& state) {
  write_file(part_ / "state.json", state.dump(1));
  write_file(part_ / "manifest.json", manifest_of(part_, step_).dump(1));
  sync_tree(part_);
  const Path folder = folder_of(run_folder_, step_);
  Path aside = folder;
  aside += ".old.part";
  if (std::filesystem::exists(folder)) {
    std::filesystem::remove_all(aside);
    std::filesystem::rename(folder, aside);
  }
  std::filesystem::rename(part_, folder);
  committed_ = true;
  sync_folder(folder.parent_path());
  sync_folder(run_folder_);  // for the entries "checkpoints" and "rollouts"
  point_at(folder, "last");
  std::filesystem::remove_all(aside);
  return folder;
}

void point_at(const Path& folder, const std::string& name) {
  const Path link = folder.parent_path() / name, next = folder.parent_path() / (name + ".part");
  std::error_code none;
  if (std::filesystem::read_symlink(link, none) == folder.filename()) return;
  std::filesystem::remove(next);
  std::filesystem::create_directory_symlink(folder.filename(), next);
  std::filesystem::rename(next, link);
  sync_folder(folder.parent_path());
}

void point_best_at(const Path& run_folder, uint64_t step) {
  const Path folder = folder_of(run_folder, step);
  if (std::filesystem::exists(folder)) return point_at(folder, "best");
  std::filesystem::remove(folder.parent_path() / "best");
}

Path pointed_at(const Path& run_folder, const std::string& link) {
  std::error_code none;
  const Path name = std::filesystem::read_symlink(run_folder / "checkpoints" / link, none);
  return none ? Path() : run_folder / "checkpoints" / name;
}

std::string damage(const Path& folder) {
  try {
    const json manifest = read_json_object(folder / "manifest.json");
    if (!manifest.contains("files") || !manifest["files"].is_object()) return "manifest.json lists no files";
    if (!manifest.contains("step") || manifest["step"] != step_of(std::filesystem::canonical(folder)).value_or(0))
      return "manifest.json belongs to another step";
    if (!manifest["files"].contains("state.json")) return "manifest.json doesn't list state.json";
    for (const auto& [name, wanted] : manifest["files"].items())
      if (auto problem = damage_of_file(folder, name, wanted); !problem.empty()) return problem;
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    return Path(error.where()).filename().string() + " " + error.problem();
  }
  return "";
}

std::string changed_model(const Path& folder) {
  if (!std::filesystem::is_regular_file(folder / "manifest.json")) return "";
  const json manifest = read_json_object(folder / "manifest.json");
  if (!manifest.contains("files") || !manifest["files"].is_object()) return "manifest.json lists no files";
  for (const auto& [name, wanted] : manifest["files"].items()) {
    if (name.starts_with("optimizer") || name == "reference.safetensors" || name == "state.json") continue;
    if (auto problem = damage_of_file(folder, name, wanted); !problem.empty()) return problem;
  }
  return "";
}

std::vector<Path> checkpoint_folders(const Path& run_folder) {
  std::vector<std::pair<uint64_t, Path>> found;
  for (const auto& entry : entries_of(run_folder / "checkpoints"))
    if (const auto step = step_of(entry.path()); step && entry.is_directory()) found.emplace_back(*step, entry.path());
  std::sort(found.rbegin(), found.rend());
  std::vector<Path> folders;
  for (auto& [step, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

std::optional<Checkpoint> newest_good(const Path& run_folder, std::vector<std::string>* problems, uint64_t rows) {
  for (const auto& folder : checkpoint_folders(run_folder)) {
    const std::string problem =
        *step_of(folder) > rows ? fmt::format("run.h5 has rows for only {} steps", rows) : damage(folder);
    if (problem.empty()) {
      const Path state = folder / "state.json";
      return Checkpoint{*step_of(folder), folder, read_json_object(state)};
    }
    if (problems) problems->push_back("checkpoints/" + folder.filename().string() + ": " + problem);
  }
  return {};
}

std::vector<std::string> set_checkpoints_aside(const Path& run_folder, uint64_t step) {
  std::vector<std::string> names;
  for (const auto& folder : checkpoint_folders(run_folder)) {
    if (*step_of(folder) <= step) continue;
    if (pointed_at(run_folder) == folder) std::filesystem::remove(folder.parent_path() / "last");
    Path aside = folder;
    aside += ".torn";
    std::filesystem::remove_all(aside);
    std::filesystem::rename(folder, aside);
    names.push_back("checkpoints/" + folder.filename().string());
  }
  return names;
}

void prune(const Path& run_folder, uint64_t keep) {
  auto folders = checkpoint_folders(run_folder);
  // Checkpoints newer than `last` were skipped when the run was resumed, and the run has not reached their steps again.
  const auto last = std::find(folders.begin(), folders.end(), pointed_at(run_folder));
  if (last != folders.end()) folders.erase(folders.begin(), last);
  const uint64_t kept = std::max<uint64_t>(keep, 1);
  if (folders.size() <= kept) return;
  const auto good = newest_good(run_folder, nullptr, *step_of(folders[0]));
  const auto best = pointed_at(run_folder, "best");
  for (size_t i = kept; i < folders.size(); ++i)
    if ((!good || folders[i] != good->folder) && folders[i] != best) remove_at_once(folders[i]);
}

void remove_unfinished(const Path& run_folder) {
  std::vector<Path> unfinished;
  for (const auto& folder : {run_folder / "checkpoints", run_folder})
    for (const auto& entry : entries_of(folder))
      if (entry.path().extension() == ".part") unfinished.push_back(entry.path());
  for (const auto& path : unfinished) std::filesystem::remove_all(path);
}

}  // namespace compeer::record
