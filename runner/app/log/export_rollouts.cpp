// compeer log export --rollouts: completions for pandas and Hugging Face's `datasets`.
#include "app/log/export_rollouts.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "launch/interrupts.h"
#include "record/rollout_file.h"
#include "report/drawing/passages.h"

namespace compeer::app {

namespace {

using nlohmann::ordered_json;
using record::RolloutReader;
using record::RolloutRow;

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json messages(const std::string& prompt) {
  auto all = ordered_json::array();
  for (const auto& turn : report::by_turns(prompt))
    all.push_back({{"role", turn.name.empty() ? "user" : turn.name}, {"content", turn.text}});
  return all;
}

std::vector<std::string> columns_of(const std::vector<RolloutReader>& readers) {
  std::vector<std::string> all;
  for (const auto& reader : readers) {
    for (const auto& name : reader.value_columns()) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
  }
  return all;
}

// Where each of these columns stands in a run's values; -1: it has none.
std::vector<ptrdiff_t> places_of(const std::vector<std::string>& columns, const RolloutReader& reader) {
  const auto& own = reader.value_columns();
  std::vector<ptrdiff_t> places;
  for (const auto& name : columns) {
    const auto found = std::find(own.begin(), own.end(), name);
    places.push_back(found == own.end() ? -1 : found - own.begin());
  }
  return places;
}

void add_tokens(ordered_json& line, const RolloutRow& row) {
  line["prompt_tokens"] = row.prompt_tokens;
  line["tokens"] = row.tokens;
  auto logprobs = ordered_json::array();
  for (const float value : row.logprobs) logprobs.push_back(number(value));
  line["logprobs"] = logprobs;
}

}  // namespace

void write_rollouts(const std::vector<NamedRun>& runs, bool tokens, std::ostream& out,
                    const std::function<void()>& check) {
  std::vector<RolloutReader> readers;
  for (const auto& run : runs) {
    readers.emplace_back(run.folder);
    if (readers.back().steps().empty())
      throw Error(run.folder.string(), "has no rollouts", "training by GRPO and evaluations keep them", Exit::data);
  }
  const auto columns = columns_of(readers);
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto places = places_of(columns, readers[i]);
    for (const uint64_t step : readers[i].steps()) {
      check();
      for (const auto& row : readers[i].read(step)) {
        ordered_json line = {{"run", runs[i].name},       {"step", row.step},
                             {"group", row.prompt},       {"index", row.completion},
                             {"example", row.example_id}, {"prompt", messages(row.prompt_text)},
                             {"completion", row.text},    {"finished", row.finished}};
        for (size_t k = 0; k < columns.size(); ++k)
          line[columns[k]] = places[k] < 0 ? ordered_json(nullptr) : number(row.values[static_cast<size_t>(places[k])]);
        if (tokens) add_tokens(line, row);
        out << line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
      }
    }
  }
}

void write_rollouts(const std::vector<NamedRun>& runs, bool tokens, const std::filesystem::path& file) {
  auto part = file;
  part += ".part";
  std::error_code code;
  try {
    const launch::Interrupts interrupts;  // so that what is half written is removed
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    write_rollouts(runs, tokens, out, [&] { interrupts.check(); });
    if (!out.flush())
      throw Error(file.string(), "can't be written", "is there room, and may you write there?", Exit::failure);
    out.close();
    sync_file(part);
    std::filesystem::rename(part, file, code);
    if (code) throw Error(file.string(), "can't be written: " + code.message(), "", Exit::failure);
  } catch (...) {
    std::filesystem::remove(part, code);
    throw;
  }
}

}  // namespace compeer::app
