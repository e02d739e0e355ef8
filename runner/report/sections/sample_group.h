#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// One column of a comparison: a group's completions under the name of its run.
struct SampleColumn {
  std::string heading;
  std::optional<size_t> style;
  const SampleGroup* group = nullptr;
};

/// The turns of a prompt.
void write_prompt(Markup& out, const std::string& prompt);

/// Up to `most` completions of each column, side by side: tagged steps set apart from the reply, the main numbers over
/// each, all recorded numbers in a table below.
void write_columns(Markup& out, const std::vector<SampleColumn>& columns, size_t most);

/// What the prompt ends with, as one short line: the summary of a closed block.
std::string last_turn(const std::string& prompt);

}  // namespace compeer::report
