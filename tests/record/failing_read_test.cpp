#include <errno.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files.h"
#include "record/checkpoint.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "record/run_folder.h"
#include "record/status.h"
#include "temporary_folder.h"

namespace {

long reads_left = -1;  // successful reads until one fails; negative: no read fails
int failure = EIO;

bool fails() {
  if (reads_left < 0 || reads_left-- > 0) return false;
  errno = failure;
  return true;
}

}  // namespace

// Replaces the read functions of HDF5 and of streams. One read fails.
extern "C" [[gnu::visibility("default")]] ssize_t pread(int from, void* bytes, size_t size, off_t offset) {
  return fails() ? -1 : ::syscall(SYS_pread64, from, bytes, size, offset);
}
extern "C" [[gnu::visibility("default")]] ssize_t read(int from, void* bytes, size_t size) {
  return fails() ? -1 : ::syscall(SYS_read, from, bytes, size);
}

namespace compeer::record {

namespace {

// Lets each read of `act` fail in turn: `act` must end with exit 1 and an error with the file and the system's text, or
// with its usual result where HDF5 does not need the data.
void each_failing_read_is_reported(const std::function<std::string()>& act) {
  long number = 0, reported = 0;
  const std::string usual = act();
  for (const int cause : {EIO, ESTALE}) {
    failure = cause;
    for (number = 0;; ++number) {
      reads_left = number;
      std::string said;
      Exit exit = Exit::ok;
      try {
        EXPECT_EQ(act(), usual) << "read " << number;
      } catch (const Error& error) {
        said = error.where() + ": " + error.problem();
        exit = error.exit();
      }
      const bool failed = std::exchange(reads_left, -1) < 0;
      if (!failed) break;
      if (testing::Test::HasFailure()) return;
      if (exit == Exit::ok) continue;
      ++reported;
      EXPECT_TRUE(said.ends_with(std::string(": ") + std::strerror(cause))) << "read " << number << ": " << said;
      EXPECT_TRUE(said.starts_with("/")) << said;
      EXPECT_EQ(exit, Exit::failure) << "read " << number << ": " << said;
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(reported, number);
}

const std::vector<std::string> columns = {"score", "rewards/length"};

}  // namespace

TEST(FailingRead, OfARunFileIsReported) {
  const TemporaryFolder folder;
  {
    auto writer = RunWriter::create(folder / "run.h5", "{}", columns);
    writer.append(std::vector<double>{0.5, 0.25});
    writer.finish("finished");
  }
  each_failing_read_is_reported([&] {
    const RunReader reader(folder / "run.h5");
    std::string text = reader.spec_text() + reader.status() + std::to_string(reader.damaged_rows().size()) +
                       std::to_string(reader.events().size());
    for (const auto& name : reader.columns()) text += name + std::to_string(reader.column(name).at(0));
    return text;
  });
}

TEST(FailingRead, OfARunFileThatIsResumedIsReported) {
  const TemporaryFolder folder;
  RunWriter::create(folder / "run.h5", "{}", columns).append(std::vector<double>{0.5, 0.25});
  each_failing_read_is_reported([&] {
    auto writer = RunWriter::resume(folder / "run.h5", 1, columns);
    return std::to_string(writer.rows());
  });
}

TEST(FailingRead, OfRolloutsIsReported) {
  const TemporaryFolder folder;
  RolloutRow row;
  row.step = 1;
  row.text = "text";
  row.tokens = {1, 2};
  row.logprobs = {-1, -2};
  row.values = {0.5};
  {
    auto writer = RolloutWriter(folder / "rollouts", 0, {"score"});
    writer.append({row});
    writer.finish();
  }
  each_failing_read_is_reported([&] { return RolloutReader(folder.path()).read(1).at(0).text; });
}

// A temporary disk failure must not discard the newest checkpoint, nor make a run look unfinished.
TEST(FailingRead, OfACheckpointIsNoDamage) {
  const TemporaryFolder folder;
  for (const uint64_t step : {1, 2}) {
    CheckpointWriter writer(folder.path(), step);
    write_file(writer.folder() / "weights", "bytes");
    writer.commit({{"step", step}});
  }
  each_failing_read_is_reported([&] { return std::to_string(newest_good(folder.path())->step); });
}

TEST(FailingRead, OfAStatusDoesNotMakeARunUnfinished) {
  const TemporaryFolder folder;
  Status status;
  status.state = "finished";
  write_status(folder.path(), status);
  write_summary(folder.path(), {});
  ASSERT_TRUE(has_finished(folder.path()));
  each_failing_read_is_reported([&] { return std::to_string(has_finished(folder.path())); });
}

}  // namespace compeer::record
