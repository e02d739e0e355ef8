// compeer log group: prints one prompt's completions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>

#include "app/log/log.h"
#include "base/error.h"
#include "record/in_child.h"
#include "record/rollout_file.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

using nlohmann::ordered_json;
using record::RolloutRow;

constexpr size_t longest_text = 20'000;

std::vector<RolloutRow> group_of(const record::RolloutReader& rollouts, const std::string& run, LogGroup& options) {
  const auto steps = rollouts.steps();
  if (steps.empty())
    throw Error(run, "has no rollouts",
                "only GRPO training and evaluations record rollouts, unless record.rollouts = false", Exit::data);
  if (options.step == 0) options.step = steps.back();
  if (!std::binary_search(steps.begin(), steps.end(), options.step))
    throw Error("--step", fmt::format("{} has no rollouts of step {}", run, options.step),
                fmt::format("it has those of steps {} to {}", steps.front(), steps.back()), Exit::usage);
  auto rows = rollouts.read(options.step);
  const uint64_t prompts = rows.empty() ? 0 : rows.back().prompt + 1;
  std::erase_if(rows, [&](const RolloutRow& row) { return row.prompt != options.prompt; });
  if (rows.empty())
    throw Error("--prompt", fmt::format("step {} has no prompt {}", options.step, options.prompt),
                fmt::format("its prompts are 0 to {}", prompts - 1), Exit::usage);
  return rows;
}

ordered_json row_json(const RolloutRow& row, const std::vector<std::string>& columns) {
  auto values = ordered_json::object(), logprobs = ordered_json::array();
  for (size_t i = 0; i < columns.size(); ++i) values[columns[i]] = row.values[i];
  for (const float value : row.logprobs) logprobs.push_back(value);
  return {{"completion", row.completion}, {"finished", row.finished}, {"text", row.text},
          {"tokens", row.tokens},         {"logprobs", logprobs},     {"values", values}};
}

void show_group_json(const std::vector<RolloutRow>& rows, const std::vector<std::string>& columns,
                     const std::string& run, std::ostream& out) {
  const auto& first = rows.front();
  auto completions = ordered_json::array();
  for (const auto& row : rows) completions.push_back(row_json(row, columns));
  const ordered_json all = {{"run", run},
                            {"step", first.step},
                            {"prompt", first.prompt},
                            {"example", first.example_id},
                            {"prompt_text", first.prompt_text},
                            {"prompt_tokens", first.prompt_tokens},
                            {"completions", completions}};
  out << all.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

// Indents each line by two spaces and prints control characters as \xNN.
std::string indented(const std::string& text) {
  std::string lines;
  for (size_t from = 0; from <= text.size();) {
    const size_t to = std::min(text.find('\n', from), text.size());
    lines += "  " + spec::printable(text.substr(from, to - from), longest_text) + '\n';
    from = to + 1;
  }
  return lines;
}

void show_completion(const RolloutRow& row, const std::vector<std::string>& columns, bool tokens, std::ostream& out) {
  const double sum = std::accumulate(row.logprobs.begin(), row.logprobs.end(), 0.0);
  out << fmt::format("\ncompletion {}: {} tokens, {}, log-probability {:.5g}\n", row.completion, row.tokens.size(),
                     row.finished ? "finished" : "cut off", sum);
  for (size_t i = 0; i < columns.size(); ++i)
    out << fmt::format("  {} {:.5g}\n", spec::printable(columns[i], 200), row.values[i]);
  out << "text\n" << indented(row.text);
  if (!tokens) return;
  out << "tokens, each with its log-probability\n ";
  for (size_t i = 0; i < row.tokens.size(); ++i) out << fmt::format(" {} ({:.4g})", row.tokens[i], row.logprobs[i]);
  out << '\n';
}

void show_group(const std::filesystem::path& folder, LogGroup options, std::ostream& out) {
  const record::RolloutReader rollouts(folder);
  const auto rows = group_of(rollouts, folder.string(), options);
  const auto& columns = rollouts.value_columns();
  if (options.json) return show_group_json(rows, columns, folder.string(), out);
  const auto& first = rows.front();
  out << fmt::format("step {}, prompt {}: {}, {} completions\nprompt, {} tokens\n", first.step, first.prompt,
                     spec::printable(first.example_id, 200), rows.size(), first.prompt_tokens.size())
      << indented(first.prompt_text);
  for (const auto& row : rows) show_completion(row, columns, options.tokens, out);
}

}  // namespace

int log_group(const LogGroup& options, std::ostream& out) {
  const auto folder = find_run(options.run);
  record::write_from_child(
      folder.string(), options.timeout_seconds, [&](std::ostream& text) { show_group(folder, options, text); }, out);
  return 0;
}

}  // namespace compeer::app
