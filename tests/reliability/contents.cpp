#include "contents.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "base/hash.h"
#include "record/rollout_file.h"
#include "record/run_file.h"

namespace compeer::test {

namespace {

template <class T>
void add(std::string& bytes, const std::vector<T>& list) {
  bytes += std::to_string(list.size()) + ":";
  bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
}

void add(std::string& bytes, const std::string& text) { bytes += std::to_string(text.size()) + ":" + text; }

bool same_in_every_run(const std::string& column) {
  constexpr std::array others{"seconds", "per_second", "time", "peak_memory"};
  return std::none_of(others.begin(), others.end(),
                      [&](const char* word) { return column.find(word) != std::string::npos; });
}

void read_rows(const std::filesystem::path& run, uint64_t most, Contents& contents) {
  const record::RunReader reader(run / "run.h5");
  contents.rows = std::min(reader.rows(), most);
  for (const uint64_t row : reader.damaged_rows()) {
    if (row < most) throw Error((run / "run.h5").string(), "row " + std::to_string(row + 1) + " is damaged");
  }
  std::string bytes;
  for (const auto& name : reader.columns()) {
    auto values = reader.column(name);
    values.resize(contents.rows);
    add(bytes, name);
    if (same_in_every_run(name)) add(bytes, values);
  }
  contents.row_hash = sha256(bytes);
}

void read_rollouts(const std::filesystem::path& run, uint64_t most, Contents& contents) {
  const record::RolloutReader reader(run);
  std::string bytes;
  for (const auto& name : reader.value_columns()) add(bytes, name);
  for (const uint64_t step : reader.steps()) {
    if (step > most) break;
    ++contents.steps;
    for (const auto& row : reader.read(step)) {
      add(bytes, std::vector<uint64_t>{row.step, row.prompt, row.completion, row.finished});
      for (const auto* text : {&row.example_id, &row.prompt_text, &row.text}) add(bytes, *text);
      add(bytes, row.prompt_tokens);
      add(bytes, row.tokens);
      add(bytes, row.logprobs);
      add(bytes, row.values);
    }
  }
  contents.rollout_hash = sha256(bytes);
}

}  // namespace

Contents contents_of(const std::filesystem::path& run, uint64_t most) {
  Contents contents;
  read_rows(run, most, contents);
  read_rollouts(run, most, contents);
  return contents;
}

}  // namespace compeer::test
