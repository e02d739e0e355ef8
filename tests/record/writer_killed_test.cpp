#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "base/random.h"
#include "record/hdf.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "temporary_folder.h"

namespace compeer::record {

namespace {

// Runs `write` in a child, which reports each committed step, and kills it while it works, after it has reported step
// `enough`. Returns the last step reported.
uint64_t kill_after(uint64_t enough, const std::function<void(const std::function<void(uint64_t)>&)>& write) {
  int ends[2];
  if (::pipe(ends) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    try {
      write([&](uint64_t number) {
        if (::write(ends[1], &number, sizeof number) < 0) ::_exit(2);
      });
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(1);
  }
  ::close(ends[1]);
  uint64_t told = 0, last = 0;
  bool killed = false;
  while (::read(ends[0], &told, sizeof told) == static_cast<ssize_t>(sizeof told)) {
    last = told;
    if (!killed && told >= enough) ::kill(child, SIGKILL), killed = true;
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(killed && WIFSIGNALED(status)) << "the writer ended by itself";
  return last;
}

std::vector<std::string> many_columns() {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("group/metric_" + std::to_string(i));
  return names;
}

// Returns a value that is unique to row `row` and column `i`.
double value(uint64_t row, size_t i) { return static_cast<double>(row) * 1000 + static_cast<double>(i); }

void write_rows(RunWriter writer, const std::function<void(uint64_t)>& tell) {
  std::vector<double> row(writer.columns().size());
  while (true) {
    for (size_t i = 0; i < row.size(); ++i) row[i] = value(writer.rows(), i);
    writer.append(row);
    writer.event(static_cast<double>(writer.rows()), "info", "row " + std::to_string(writer.rows()));
    tell(writer.rows());
  }
}

void expect_whole(const RunReader& run) {
  const auto names = many_columns();
  for (size_t i = 0; i < names.size(); ++i) {
    const auto values = run.column(names[i]);
    for (uint64_t row = 0; row < values.size(); ++row) ASSERT_EQ(values[row], value(row, i)) << names[i] << " " << row;
  }
}

std::vector<RolloutRow> step_rows(uint64_t step) {
  std::vector<RolloutRow> rows;
  for (uint64_t i = 0; i < 6; ++i) {
    RolloutRow row;
    row.step = step;
    row.prompt = i / 3;
    row.completion = i % 3;
    row.example_id = "example " + std::to_string(step) + "." + std::to_string(row.prompt);
    row.prompt_text = "prompt " + row.example_id;
    row.prompt_tokens = {static_cast<int32_t>(step), static_cast<int32_t>(row.prompt)};
    row.text = "reply " + std::to_string(step * i);
    for (uint64_t t = 0; t < 20 + i; ++t) {
      row.tokens.push_back(static_cast<int32_t>(step + t));
      row.logprobs.push_back(-static_cast<float>(t));
    }
    row.values = {static_cast<double>(step), static_cast<double>(i)};
    rows.push_back(row);
  }
  return rows;
}

bool same(const RolloutRow& a, const RolloutRow& b) {
  return a.step == b.step && a.prompt == b.prompt && a.completion == b.completion && a.example_id == b.example_id &&
         a.prompt_text == b.prompt_text && a.prompt_tokens == b.prompt_tokens && a.text == b.text &&
         a.tokens == b.tokens && a.logprobs == b.logprobs && a.values == b.values && a.finished == b.finished;
}

}  // namespace

TEST(KilledWriter, LosesNoCommittedRowOfTheRunFile) {
  const TemporaryFolder folder;
  const auto file = folder / "run.h5";
  uint64_t rows = 0, events = 0;
  for (uint32_t kill = 0; kill < 20; ++kill) {
    const uint64_t told = kill_after(rows + 1 + below(60, 1, Stream::plugin, kill), [&](const auto& tell) {
      write_rows(kill ? RunWriter::resume(file, rows, many_columns()) : RunWriter::create(file, "{}", many_columns()),
                 tell);
    });
    const RunReader run(file);
    ASSERT_GE(run.rows(), told);
    ASSERT_GE(run.events().size(), events + told - rows);
    ASSERT_FALSE(run.live());
    expect_whole(run);
    // Every second time the run resumes from a checkpoint some rows back.
    rows = run.rows() - (kill % 2 ? std::min<uint64_t>(run.rows(), kill) : 0);
    events = run.events().size();
  }
}

TEST(KilledWriter, LeavesAFileOfWhichACopyCanBeMended) {
  const TemporaryFolder folder;
  const uint64_t told = kill_after(
      30, [&](const auto& tell) { write_rows(RunWriter::create(folder / "run.h5", "{}", many_columns()), tell); });
  const auto size = std::filesystem::file_size(folder / "run.h5");
  const hdf::OpenFile mended = hdf::open_mended_copy(folder / "run.h5");
  const uint64_t rows = hdf::Array::open(mended, "committed").read<uint64_t>(0, 1)[0];
  EXPECT_GE(rows, told);
  const auto values = hdf::Array::open(mended, "rows/group/metric_7").read<double>(0, rows);
  for (uint64_t row = 0; row < rows; ++row) ASSERT_EQ(values[row], value(row, 7));
  EXPECT_EQ(std::filesystem::file_size(folder / "run.h5"), size);
}

TEST(KilledWriter, LosesNoCommittedStepOfRolloutsAndResumingDoublesNone) {
  const TemporaryFolder folder;
  uint64_t step = 0;
  for (uint32_t kill = 0; kill < 12; ++kill) {
    const uint64_t told = kill_after(step + 1 + below(40, 2, Stream::plugin, kill), [&](const auto& tell) {
      RolloutWriter writer(folder / "rollouts", 0, {"reward", "rank"}, 40'000);  // sealed after every few steps
      writer.resume(step, 1);
      for (uint64_t next = step + 1;; ++next) {
        writer.append(step_rows(next));
        tell(next);
      }
    });
    const RolloutReader rollouts(folder.path());
    const auto steps = rollouts.steps();
    ASSERT_GE(steps.size(), told);
    for (uint64_t i = 0; i < steps.size(); ++i) {
      ASSERT_EQ(steps[i], i + 1);
      const auto rows = rollouts.read(i + 1), expected = step_rows(i + 1);
      ASSERT_EQ(rows.size(), expected.size());
      for (size_t r = 0; r < rows.size(); ++r) ASSERT_TRUE(same(rows[r], expected[r])) << "step " << i + 1;
    }
    step = steps.size() - std::min<uint64_t>(steps.size(), kill);
  }
}

}  // namespace compeer::record
