// Reader of rollout files, and the search for damaged ones.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "record/rollout_file.h"
#include "record/rollout_layout.h"

namespace compeer::record {

namespace {

// Opens the sealed file or the part. The part may be sealed, and so renamed, between the check and the open.
hdf::OpenFile open_either(const RolloutName& name) {
  try {
    return hdf::open_for_reading(name.readable());
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    if (!std::filesystem::exists(name.sealed()))
      throw Error(error.where(), error.problem(),
                  "run compeer resume to repeat these steps if they were lost in a power failure", error.exit());
    return hdf::open_for_reading(name.sealed());
  }
}

std::string text_of(const std::vector<char>& bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

struct RolloutReader::State {
  struct Span {
    RolloutName name;
    uint64_t first, count;
  };
  struct OpenFile {
    hdf::OpenFile h5;
    RolloutLayout layout;
  };
  std::vector<std::string> columns;
  std::map<uint64_t, std::vector<Span>> spans;  // by step: the location of its rows

  // Cache of open files: opening one takes longer than reading a step of it.
  std::map<std::filesystem::path, OpenFile> open;

  void index(const RolloutName& name, uint64_t last_step);
  const RolloutLayout& layout_of(const RolloutName& name);
  void read(const Span& span, std::vector<RolloutRow>& rows);
  static void check(const std::filesystem::path& file, const RolloutRow& row, uint64_t checksum);
};

RolloutReader::RolloutReader(const std::filesystem::path& run_folder, uint64_t last_step)
    : state_(std::make_unique<State>()) {
  for (const auto& name : RolloutName::list(run_folder / "rollouts"))
    if (name.first_step <= last_step) state_->index(name, last_step);
}

RolloutReader::RolloutReader(RolloutReader&&) noexcept = default;
RolloutReader& RolloutReader::operator=(RolloutReader&&) noexcept = default;
RolloutReader::~RolloutReader() = default;

void RolloutReader::State::index(const RolloutName& name, uint64_t last_step) {
  const hdf::OpenFile h5 = open_either(name);
  const auto names = RolloutLayout::value_columns(h5);
  if (columns.empty()) columns = names;
  if (names != columns)
    throw Error(h5.file.string(), "has different value columns from the files before it", "", Exit::data);
  RolloutLayout layout;
  layout.committed = hdf::Array::open(h5, "committed");
  uint64_t completions = layout.completions();
  layout.step = hdf::Array::open(h5, "completions/step");  // opened later, so it has at least that many elements
  if (last_step != UINT64_MAX) completions = layout.completions_until(last_step);
  const auto steps = layout.step.read<uint64_t>(0, completions);
  for (uint64_t first = 0, end = 0; first < completions; first = end) {
    while (end < completions && steps[end] == steps[first]) ++end;
    spans[steps[first]].push_back({name, first, end - first});
  }
}

std::vector<uint64_t> RolloutReader::steps() const {
  std::vector<uint64_t> steps;
  for (const auto& [step, spans] : state_->spans) steps.push_back(step);
  return steps;
}

const std::vector<std::string>& RolloutReader::value_columns() const { return state_->columns; }

std::map<uint64_t, uint64_t> RolloutReader::counts() const {
  std::map<uint64_t, uint64_t> counts;
  for (const auto& [step, spans] : state_->spans)
    for (const auto& span : spans) counts[step] += span.count;
  return counts;
}

std::vector<RolloutRow> RolloutReader::read(uint64_t step) const {
  std::vector<RolloutRow> rows;
  if (const auto found = state_->spans.find(step); found != state_->spans.end())
    for (const auto& span : found->second) state_->read(span, rows);
  std::sort(rows.begin(), rows.end(), [](const RolloutRow& a, const RolloutRow& b) {
    return std::pair(a.prompt, a.completion) < std::pair(b.prompt, b.completion);
  });
  return rows;
}

const RolloutLayout& RolloutReader::State::layout_of(const RolloutName& name) {
  constexpr size_t most_open = 16;
  if (const auto found = open.find(name.sealed()); found != open.end()) return found->second.layout;
  if (open.size() >= most_open) open.clear();
  OpenFile file{open_either(name), {}};
  file.layout = RolloutLayout::open(file.h5, columns);
  return open.emplace(name.sealed(), std::move(file)).first->second.layout;
}

void RolloutReader::State::check(const std::filesystem::path& file, const RolloutRow& row, uint64_t checksum) {
  if (rollout_checksum(row, row) == checksum) return;
  throw Error(file.string(),
              fmt::format("completion {} of prompt {} in step {} is damaged: checksum mismatch", row.completion,
                          row.prompt, row.step),
              "", Exit::data);
}

void RolloutReader::State::read(const Span& span, std::vector<RolloutRow>& rows) {
  const auto& layout = layout_of(span.name);
  const uint64_t first = span.first, count = span.count;
  const auto step = layout.step.read<uint64_t>(first, count);
  const auto prompt = layout.prompt.read<uint64_t>(first, count);
  const auto completion = layout.completion.read<uint64_t>(first, count);
  const auto finished = layout.finished.read<uint8_t>(first, count);
  const auto text = layout.text.read(first, count);
  const auto tokens = layout.tokens.read(first, count);
  const auto at = layout.tokens.bounds(first, count);
  const auto logprobs = layout.logprobs.read<float>(at.front(), at.back() - at.front());
  std::vector<std::vector<double>> values;
  for (const auto& column : layout.values) values.push_back(column.read<double>(first, count));

  // Files of an earlier version have no checksums, or after a resume an empty dataset.
  std::optional<std::vector<uint64_t>> checksums;
  if (layout.checksum && layout.checksum->size() > 0) checksums = layout.checksum->read<uint64_t>(first, count);

  const auto group = layout.group.read<uint64_t>(first, count);
  const auto [lowest, highest] = std::minmax_element(group.begin(), group.end());
  layout.example_id.check_has(*highest);
  const auto example_id = layout.example_id.read(*lowest, *highest - *lowest + 1);
  const auto prompt_text = layout.prompt_text.read(*lowest, *highest - *lowest + 1);
  const auto prompt_tokens = layout.prompt_tokens.read(*lowest, *highest - *lowest + 1);

  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t g = group[i] - *lowest;
    RolloutRow row;
    row.step = step[i];
    row.prompt = prompt[i];
    row.completion = completion[i];
    row.example_id = text_of(example_id[g]);
    row.prompt_text = text_of(prompt_text[g]);
    row.prompt_tokens = prompt_tokens[g];
    row.text = text_of(text[i]);
    row.tokens = tokens[i];
    row.finished = finished[i] != 0;
    row.logprobs.assign(logprobs.begin() + static_cast<std::ptrdiff_t>(at[i] - at[0]),
                        logprobs.begin() + static_cast<std::ptrdiff_t>(at[i + 1] - at[0]));
    for (const auto& column : values) row.values.push_back(column[i]);
    if (checksums) check(span.name.readable(), row, checksums->at(i));
    rows.push_back(std::move(row));
  }
}

std::vector<TornRollouts> RolloutReader::torn(const std::filesystem::path& run_folder, uint64_t last_step) {
  std::vector<TornRollouts> torn;
  for (const auto& name : RolloutName::list(run_folder / "rollouts")) {
    if (name.first_step > last_step || std::filesystem::exists(name.sealed())) continue;
    try {
      State state;
      state.index(name, last_step);
      if (!state.spans.contains(last_step)) throw Error("", fmt::format("has no completion of step {}", last_step));
      std::vector<RolloutRow> rows;
      for (const auto& [step, spans] : state.spans) {
        rows.clear();
        state.read(spans[0], rows);
      }
    } catch (const Error& error) {
      if (error.exit() == Exit::failure) throw;
      torn.push_back({name.part(), name.first_step, error.problem()});
    }
  }
  return torn;
}

}  // namespace compeer::record
