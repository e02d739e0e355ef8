// Input: a rollout file. Reads every step.
#include "in_child.h"
#include "record/rollout_file.h"

namespace {

void ask(const std::filesystem::path& run) {
  const compeer::record::RolloutReader reader(run);
  const auto counts = reader.counts();
  for (const uint64_t step : reader.steps()) {
    const auto rows = reader.read(step);
    compeer::fuzz::expect(rows.size() == counts.at(step));
    for (const auto& row : rows)
      compeer::fuzz::expect(row.logprobs.size() == row.tokens.size() &&
                            row.values.size() == reader.value_columns().size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return compeer::fuzz::ask_in_child("rollouts/r0000-000001.h5.part", compeer::fuzz::text_of(data, size), ask);
}
