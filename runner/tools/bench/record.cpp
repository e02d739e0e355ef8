// Benchmarks of logging: a row of metrics, a step of rollouts, and the share of logging in the steps of a run.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/disk.h"
#include "launch/launch.h"
#include "plugin/search.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "spec/spec.h"
#include "tools/bench/bench.h"

namespace compeer::bench {

namespace {

namespace fs = std::filesystem;

nlohmann::json rows(const fs::path& folder) {
  std::vector<std::string> columns;
  for (int i = 0; i < 40; ++i) columns.push_back(fmt::format("metric_{}", i));
  auto writer = record::RunWriter::create(folder / "rows.h5", "{}", columns);
  const std::vector<double> row(columns.size(), 0.5);
  auto micros = timed(2000, [&] { writer.append(row); });
  for (double& value : micros) value *= 1e6;
  return measurement("record", "a row of 40 metrics in run.h5", "us", spread(micros));
}

nlohmann::json rollouts(const fs::path& folder) {
  record::RolloutWriter writer(folder / "rollouts", 0, {"reward", "reweighted", "advantage", "redundancy/s_in"});
  uint64_t step = 0;
  auto millis = timed(200, [&] {
    ++step;
    std::vector<record::RolloutRow> group;
    for (uint64_t i = 0; i < 32; ++i) {
      record::RolloutRow row;
      row.step = step;
      row.prompt = i / 4;
      row.completion = i % 4;
      row.example_id = fmt::format("example/{}", row.prompt);
      row.prompt_text = std::string(300, 'p');
      row.prompt_tokens.assign(70, 5);
      row.text = std::string(200, 't');
      row.tokens.assign(50, 7);
      row.logprobs.assign(50, -0.5f);
      row.values = {1, 1, 0, 0.5};
      row.finished = true;
      group.push_back(std::move(row));
    }
    writer.append(group);
  });
  for (double& value : millis) value *= 1e3;
  return measurement("record", "a step of 32 completions of 50 tokens", "ms", spread(millis));
}

// Returns seconds/log relative to seconds/step of the smoke run.
nlohmann::json share_of_step(const fs::path& folder) {
  const char* home = std::getenv("COMPEER_HOME");
  std::vector<std::string> sets;
  auto spec = spec::resolve(
      spec::load_draft((fs::path(home ? home : ".") / "experiments/smoke_grpo.toml").string(), sets), plugin::Finder());
  spec::pin_inputs(spec);
  launch::LaunchOptions options;
  options.results = folder;
  options.quiet = true;
  const auto done = launch::launch({spec}, options).at(0);
  if (done.error) throw *done.error;
  const record::RunReader run(done.folder / "run.h5");
  const auto log = run.column("seconds/log"), step = run.column("seconds/step");
  std::vector<double> percent;
  for (size_t i = 0; i < log.size(); ++i) percent.push_back(100 * log[i] / step[i]);
  return measurement("record", "logging in a step of smoke_grpo, 2 ranks", "% of the step", spread(percent));
}

}  // namespace

std::vector<nlohmann::json> bench_record(const BenchOptions&) {
  const Scratch scratch;
  return {rows(scratch.folder()), rollouts(scratch.folder()), share_of_step(scratch.folder())};
}

}  // namespace compeer::bench
