#include "record/run_folder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "record/checkpoint.h"
#include "record/status.h"
#include "temporary_folder.h"

namespace compeer::record {

namespace {

namespace fs = std::filesystem;

// Returns the contents of all files below a folder, by relative path.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) found[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
  return found;
}

// Makes a finished run of two steps with all files that a worker and a launcher may leave.
fs::path finished_run(const fs::path& run) {
  fs::create_directories(run / "rollouts");
  for (const char* file : {"spec.json", "log.txt", "job.sh", "run.h5", "rollouts/r0000-000001.h5"})
    write_file(run / file, file);
  CheckpointWriter(run, 2).commit({{"step", 2}});
  write_status(run, {"finished", 2, 2, "", {}, "", 1, 1});
  write_summary(run, {"grpo", 2, {}});
  return run;
}

}  // namespace

TEST(RunFolder, WasBegunOnceAnythingWorthKeepingIsThere) {
  const TemporaryFolder run;
  for (const char* file : {"spec.json", "log.txt", "job.sh", "status.json", "error.json"}) write_file(run / file, "{}");
  EXPECT_FALSE(was_begun(run.path()));
  EXPECT_FALSE(was_begun(run / "nothing"));
  for (const char* name : {"run.h5", "rollouts", "stages", "checkpoints", "summary.json"}) {
    write_file(run / name, "");
    EXPECT_TRUE(was_begun(run.path())) << name;
    fs::remove(run / name);
  }
}

TEST(RunFolder, SaysHowFarItsRunCame) {
  const TemporaryFolder place;
  const auto run = finished_run(place / "x");
  EXPECT_TRUE(has_finished(run));
  EXPECT_EQ(progress_text(run), "a finished run");
  write_file(run / "summary.json", "{");
  EXPECT_FALSE(has_finished(run));
  EXPECT_EQ(progress_text(run), "a run that reached step 2 of 2");
  fs::remove(run / "status.json");
  EXPECT_EQ(progress_text(run), "a run that was started");
}

TEST(RunFolder, IsSetAsideWholeAndNothingOfItIsLost) {
  const TemporaryFolder place;
  const auto run = finished_run(place / "x");
  const auto before = contents(run);
  EXPECT_EQ(rename_aside(run), fs::canonical(place.path()) / "x~1");
  EXPECT_EQ(contents(place / "x~1"), before);
  EXPECT_EQ(pointed_at(place / "x~1"), place / "x~1/checkpoints/step-000002");
  EXPECT_EQ(contents(run), (std::map<std::string, std::string>{
                               {"spec.json", "spec.json"}, {"log.txt", "log.txt"}, {"job.sh", "job.sh"}}));
  EXPECT_FALSE(was_begun(run));
}

// Files that other processes still have open: a launcher's output, or the lock of a batch script.
TEST(RunFolder, LeavesOpenFilesWithItsName) {
  const TemporaryFolder place;
  const auto run = finished_run(place / "x");
  write_file(run / ".lock", "1 here");
  std::ofstream log(run / "log.txt", std::ios::app), lock(run / ".lock", std::ios::app);
  rename_aside(run);
  log << " and more" << std::flush;
  lock << " and there" << std::flush;
  EXPECT_EQ(read_file(run / "log.txt"), "log.txt and more");
  EXPECT_EQ(read_file(run / ".lock"), "1 here and there");
  EXPECT_EQ(read_file(place / "x~1/log.txt"), "log.txt");
  EXPECT_FALSE(fs::exists(place / "x~1/.lock"));
}

TEST(RunFolder, GetsANameOfItsOwnEachTimeItIsSetAside) {
  const TemporaryFolder place;
  const auto run = finished_run(place / "x");
  write_file(place / "x~2", "mine");
  for (const char* name : {"x~1", "x~3"}) {
    write_file(run / "run.h5", name);
    EXPECT_EQ(rename_aside(run).filename(), name);
    EXPECT_EQ(read_file(place / name / "run.h5"), name);
    EXPECT_TRUE(is_renamed_aside(place / name));
  }
  EXPECT_EQ(read_file(place / "x~2"), "mine");
  for (const char* name : {"x", "x~", "x~1a", "~/x", "x~0"}) EXPECT_FALSE(is_renamed_aside(name)) << name;
}

TEST(RunFolder, SharesItsLogWithNothingButWhatWasSetAside) {
  const TemporaryFolder place;
  const auto run = finished_run(place / "x");
  fs::create_directories(place / "x~3");
  fs::create_hard_link(run / "log.txt", place / "x~3/log.txt");  // killed in `rename_aside`
  EXPECT_NO_THROW(refuse_outside_files(run));
  fs::create_hard_link(run / "log.txt", place / "mine");
  EXPECT_THROW(refuse_outside_files(run), Error);
}

TEST(RunFolder, KeepsItsLinkWhereItLiesElsewhere) {
  const TemporaryFolder place;
  fs::create_directory(place / "large");
  finished_run(place / "large/x");
  fs::create_directory_symlink("large/x", place / "x");
  EXPECT_EQ(rename_aside(place / "x"), fs::canonical(place.path()) / "large/x~1");
  EXPECT_FALSE(was_begun(place / "x"));
  EXPECT_TRUE(fs::exists(place / "x/spec.json"));
}

}  // namespace compeer::record
