#include <errno.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/rollout_file.h"
#include "record/run_file.h"
#include "temporary_folder.h"

namespace {

long writes_left = -1;  // successful writes until one fails; negative: no write fails

}  // namespace

// Replaces the write functions of HDF5. One write fails.
extern "C" [[gnu::visibility("default")]] ssize_t pwrite(int to, const void* bytes, size_t size, off_t offset) {
  if (writes_left >= 0 && writes_left-- == 0) {
    errno = EIO;
    return -1;
  }
  return ::syscall(SYS_pwrite64, to, bytes, size, offset);
}

namespace compeer::record {

namespace {

enum Outcome { undisturbed, reported, unnoticed, misnamed };

// Runs in a child, because HDF5 can't use that file again. The child runs all destructors, which must not crash.
Outcome with_failing_write(long number, const std::function<void()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    writes_left = number;
    const std::string said = complaint(act);
    const bool failed = writes_left < 0;
    writes_left = -1;
    if (said == "nothing") std::exit(failed ? unnoticed : undisturbed);
    std::exit(said.ends_with(": Input/output error") ? reported : misnamed);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "write " << number << " ends it with signal " << WTERMSIG(status);
  return static_cast<Outcome>(WEXITSTATUS(status));
}

// Lets each write of `act` fail in turn, until none is left.
void each_failing_write_is_reported(const std::function<void()>& act, const std::function<void()>& check) {
  long number = 0;
  for (Outcome outcome = reported; outcome != undisturbed; ++number) {
    outcome = with_failing_write(number, act);
    EXPECT_TRUE(outcome == undisturbed || outcome == reported) << "write " << number << ": outcome " << outcome;
    check();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(number, 10);
}

const std::vector<std::string> columns = {"score"};

std::vector<RolloutRow> rows_of(uint64_t step) {
  std::vector<RolloutRow> rows(4);
  for (auto& row : rows) {
    row.step = step;
    row.completion = static_cast<uint64_t>(&row - rows.data());
    row.text = "completion " + std::to_string(row.completion);
    row.tokens = {1, 2, 3};
    row.logprobs = {-1, -2, -3};
    row.values = {0.5};
  }
  return rows;
}

}  // namespace

TEST(FailingWrite, WhileRolloutsAreAppendedIsReportedAndKeepsThoseBefore) {
  const TemporaryFolder folder;
  auto writer = RolloutWriter(folder / "rollouts", 0, columns);
  writer.append(rows_of(1));
  each_failing_write_is_reported([&] { writer.append(rows_of(2)); },
                                 [&] { EXPECT_EQ(RolloutReader(folder.path()).read(1).size(), 4u); });
}

TEST(FailingWrite, WhileRolloutsAreSealedIsReportedAndKeepsThem) {
  const TemporaryFolder folder;
  auto writer = RolloutWriter(folder / "rollouts", 0, columns);
  writer.append(rows_of(1));
  each_failing_write_is_reported([&] { writer.finish(); },
                                 [&] { EXPECT_EQ(RolloutReader(folder.path()).read(1).size(), 4u); });
}

TEST(FailingWrite, WhileARowIsAppendedIsReportedAndKeepsThoseBefore) {
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (char name = 'a'; name <= 'j'; ++name) names.emplace_back(1, name);
  auto writer = RunWriter::create(folder / "run.h5", "{}", names);
  writer.append(std::vector<double>(names.size(), 0.5));
  each_failing_write_is_reported([&] { writer.append(std::vector<double>(names.size(), 0.25)); },
                                 [&] {
                                   const RunReader reader(folder / "run.h5");
                                   EXPECT_EQ(reader.column("j").at(0), 0.5);
                                   EXPECT_TRUE(reader.damaged_rows().empty());
                                 });
}

TEST(FailingWrite, WhileARunFileIsResumedIsReportedAndKeepsItsRows) {
  const TemporaryFolder folder;
  RunWriter::create(folder / "run.h5", "{}", columns).append(std::vector<double>{0.5});
  each_failing_write_is_reported([&] { RunWriter::resume(folder / "run.h5", 1, columns).finish("failed"); },
                                 [&] { EXPECT_EQ(RunReader(folder / "run.h5").rows(), 1u); });
}

}  // namespace compeer::record
