// Writer of rollout files: appends completions step by step, and seals files by rewriting them with compression.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "record/rollout_file.h"
#include "record/rollout_layout.h"

namespace compeer::record {

namespace {

// Rewrites a file with compression, up to and including the rows of `last_step`, and renames it to its sealed name. A
// file without such rows is removed.
void seal(const RolloutName& name, uint64_t last_step) {
  const auto source = name.readable();
  hdf::OpenFile from = hdf::open_for_reading(source);
  const auto columns = RolloutLayout::value_columns(from);
  const auto old = RolloutLayout::open(from, columns);
  if (const uint64_t kept = old.completions_until(last_step); kept > 0) {
    hdf::OpenFile to = hdf::create(name.temporary());
    RolloutLayout::create(to, columns, true).copy(old, kept);
    to.close();
    sync_file(name.temporary());
    std::filesystem::rename(name.temporary(), name.sealed());
    sync_folder(name.folder);  // the sealed file's name must be on disk before the part is removed
  } else {
    std::filesystem::remove(name.sealed());
  }
  std::filesystem::remove(name.part());
  sync_folder(name.folder);
}

uint64_t last_step_of(const RolloutName& name) {
  const hdf::OpenFile h5 = hdf::open_for_reading(name.readable());
  const auto layout = RolloutLayout::open(h5, {});
  const uint64_t completions = layout.completions();
  return completions ? layout.step.read<uint64_t>(completions - 1, 1)[0] : 0;
}

}  // namespace

struct RolloutWriter::State {
  std::filesystem::path folder;
  int rank = 0;
  std::vector<std::string> columns;
  uint64_t roll_bytes = 0;
  uint64_t last_step = 0;

  // State of the open file; members are declared in the order in which they are opened.
  RolloutName name;
  hdf::OpenFile h5;
  RolloutLayout layout;
  uint64_t completions = 0, groups = 0, bytes = 0;
  bool named = false;  // the folder was synced since the file was created

  void check(const std::vector<RolloutRow>& rows) const;
  void open(uint64_t first_step);
  void write(const std::vector<RolloutRow>& rows);
  std::vector<uint64_t> write_groups(const std::vector<RolloutRow>& rows);
  static std::vector<uint64_t> checksums(const std::vector<RolloutRow>& rows);
  void close() {
    layout = {};
    h5.close();
  }

  template <class T, class Get>
  void write_column(hdf::Array& array, const std::vector<RolloutRow>& rows, Get get) {
    std::vector<T> column;
    column.reserve(rows.size());
    for (const auto& row : rows) column.push_back(static_cast<T>(get(row)));
    array.write<T>(completions, column);
  }
};

RolloutWriter::RolloutWriter(const std::filesystem::path& folder, int rank, std::vector<std::string> value_columns,
                             uint64_t roll_bytes)
    : state_(std::make_unique<State>()) {
  state_->folder = folder;
  state_->rank = rank;
  state_->columns = std::move(value_columns);
  state_->roll_bytes = roll_bytes;
  std::filesystem::create_directories(folder);
}

RolloutWriter::RolloutWriter(RolloutWriter&&) noexcept = default;
RolloutWriter& RolloutWriter::operator=(RolloutWriter&&) noexcept = default;
RolloutWriter::~RolloutWriter() = default;

void RolloutWriter::resume(uint64_t last_step, int ranks) {
  RolloutName::remove_temporary(state_->folder, state_->rank, ranks);
  auto names = RolloutName::list(state_->folder);
  std::reverse(names.begin(), names.end());  // newest first, so that a kill in between leaves no gap in the steps
  for (const auto& name : names) {
    if (name.rank % ranks != state_->rank) continue;
    if (name.first_step > last_step) {  // even if it is unreadable
      std::filesystem::remove(name.sealed());
      std::filesystem::remove(name.part());
    } else if (std::filesystem::exists(name.sealed()) && last_step_of(name) <= last_step) {
      std::filesystem::remove(name.part());  // exists if the process was killed at the end of sealing
    } else {
      seal(name, last_step);
    }
  }
  state_->last_step = last_step;
}

void RolloutWriter::append(const std::vector<RolloutRow>& rows) {
  if (rows.empty()) return;
  State& state = *state_;
  state.check(rows);
  if (state.h5.handle && *state.h5.write_failed)
    throw Error(state.h5.file.string(), "accepts no more rows after a failed write", "", Exit::data);
  if (!state.h5.handle) state.open(rows[0].step);
  state.write(rows);
  state.last_step = rows[0].step;
  if (state.bytes >= state.roll_bytes) finish();
}

void RolloutWriter::sync() {
  State& state = *state_;
  if (!state.h5.handle) return;
  hdf::sync(state.h5);
  if (!std::exchange(state.named, true)) sync_folder(state.folder);
}

void RolloutWriter::finish() {
  State& state = *state_;
  if (!state.h5.handle) return;
  state.close();
  seal(state.name, UINT64_MAX);
}

void RolloutWriter::State::check(const std::vector<RolloutRow>& rows) const {
  const uint64_t step = rows[0].step;
  auto refuse = [&](const std::string& what) { throw Error(folder.string(), what, "", Exit::failure); };
  if (step <= last_step) refuse(fmt::format("step {} can't follow step {}", step, last_step));
  for (const auto& row : rows) {
    if (row.step != step) refuse(fmt::format("rows of steps {} and {} given together", step, row.step));
    if (row.values.size() != columns.size())
      refuse(fmt::format("a row has {} values for {} columns", row.values.size(), columns.size()));
    if (row.logprobs.size() != row.tokens.size())
      refuse(fmt::format("a row has {} log-probabilities for {} tokens", row.logprobs.size(), row.tokens.size()));
  }
}

// Creates the file under another name first, so that a `.part` file always has all its datasets.
void RolloutWriter::State::open(uint64_t first_step) {
  name = {folder, rank, first_step};
  if (std::filesystem::exists(name.readable()))
    throw Error(name.readable().string(), "already exists", "resume the run, or start it in another folder",
                Exit::data);
  hdf::OpenFile born = hdf::create(name.temporary());
  RolloutLayout::create(born, columns, false);
  born.close();
  std::filesystem::rename(name.temporary(), name.part());
  h5 = hdf::open_for_appending(name.part());
  layout = RolloutLayout::open(h5, columns);
  completions = groups = bytes = 0;
  named = false;
}

// Writes the prompts of the groups in `rows`, and returns the group of each row.
std::vector<uint64_t> RolloutWriter::State::write_groups(const std::vector<RolloutRow>& rows) {
  std::map<uint64_t, uint64_t> group_of_prompt;
  std::vector<uint64_t> group_of_row;
  for (const auto& row : rows) {
    const auto [group, first] = group_of_prompt.emplace(row.prompt, groups);
    group_of_row.push_back(group->second);
    if (!first) continue;
    ++groups;
    layout.example_id.add(row.example_id);
    layout.prompt_text.add(row.prompt_text);
    layout.prompt_tokens.add(row.prompt_tokens);
    bytes += row.example_id.size() + row.prompt_text.size() + 4 * row.prompt_tokens.size() + 24;
  }
  layout.example_id.write();
  layout.prompt_text.write();
  layout.prompt_tokens.write();
  return group_of_row;
}

std::vector<uint64_t> RolloutWriter::State::checksums(const std::vector<RolloutRow>& rows) {
  std::map<uint64_t, const RolloutRow*> groups;
  std::vector<uint64_t> sums;
  for (const auto& row : rows) sums.push_back(rollout_checksum(row, *groups.emplace(row.prompt, &row).first->second));
  return sums;
}

void RolloutWriter::State::write(const std::vector<RolloutRow>& rows) {
  layout.group.write<uint64_t>(completions, write_groups(rows));
  write_column<uint64_t>(layout.step, rows, [](auto& row) { return row.step; });
  write_column<uint64_t>(layout.prompt, rows, [](auto& row) { return row.prompt; });
  write_column<uint64_t>(layout.completion, rows, [](auto& row) { return row.completion; });
  write_column<uint8_t>(layout.finished, rows, [](auto& row) { return row.finished; });
  for (size_t i = 0; i < columns.size(); ++i)
    write_column<double>(layout.values[i], rows, [i](auto& row) { return row.values[i]; });
  std::vector<float> logprobs;
  for (const auto& row : rows) {
    layout.text.add(row.text);
    layout.tokens.add(row.tokens);
    logprobs.insert(logprobs.end(), row.logprobs.begin(), row.logprobs.end());
    bytes += row.text.size() + 8 * row.tokens.size() + 8 * row.values.size() + 49;
  }
  layout.logprobs.write<float>(layout.tokens.end(), logprobs);
  layout.text.write();
  layout.tokens.write();
  layout.checksum->write<uint64_t>(completions, checksums(rows));
  layout.flush();
  completions += rows.size();
  layout.commit(completions);
}

}  // namespace compeer::record
