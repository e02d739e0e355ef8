#include "record/run_file.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>

#include "base/files.h"
#include "temporary_folder.h"

namespace compeer::record {

namespace {

const std::vector<std::string> columns = {"step", "reward", "rewards/length/score"};

RunWriter three_rows(const std::filesystem::path& file) {
  auto writer = RunWriter::create(file, R"({"format":1})", columns);
  writer.append(std::vector<double>{1, 0.5, 10});
  writer.append(std::vector<double>{2, 0.25, std::numeric_limits<double>::quiet_NaN()});
  writer.append(std::vector<double>{3, -0.125, 30});
  return writer;
}

}  // namespace

TEST(RunFile, GivesBackRowsColumnsSpecAndStatus) {
  const TemporaryFolder folder;
  three_rows(folder / "run.h5").finish("finished");
  const RunReader run(folder / "run.h5");
  EXPECT_EQ(run.columns(), columns);
  EXPECT_EQ(run.rows(), 3u);
  EXPECT_EQ(run.column("reward"), (std::vector<double>{0.5, 0.25, -0.125}));
  EXPECT_EQ(run.spec_text(), R"({"format":1})");
  EXPECT_EQ(run.status(), "finished");
  EXPECT_EQ(run.software(), "compeer 0.1.0");
  EXPECT_EQ(run.times().size(), 3u);
  EXPECT_FALSE(run.live());
}

TEST(RunFile, TakesNoMemoryAsItGrows) {
  const TemporaryFolder folder;
  std::vector<std::string> many(50);
  for (size_t i = 0; i < many.size(); ++i) many[i] = "column" + std::to_string(i);
  auto writer = RunWriter::create(folder / "run.h5", "{}", many);
  size_t before = 0;
  for (int row = 1; row <= 1100; ++row) {
    if (row == 100) before = ::mallinfo2().uordblks;
    writer.append(std::vector<double>(many.size(), row));
  }
  EXPECT_LT(::mallinfo2().uordblks, before + 100000);  // of the 0.4 MB written meanwhile
}

TEST(RunFile, KeepsNotANumberForWhatWasNotLogged) {
  const TemporaryFolder folder;
  three_rows(folder / "run.h5").finish("finished");
  const auto scores = RunReader(folder / "run.h5").column("rewards/length/score");
  EXPECT_EQ(scores[0], 10);
  EXPECT_TRUE(std::isnan(scores[1]));
  EXPECT_EQ(scores[2], 30);
}

TEST(RunFile, GivesBackEventsWithTextOfAnyKind) {
  const TemporaryFolder folder;
  auto writer = three_rows(folder / "run.h5");
  writer.event(2, "info", "checkpoint written");
  writer.event(3, "warning", "");
  writer.event(3, "error", "größer als ∞\n");
  writer.finish("failed");
  const auto events = RunReader(folder / "run.h5").events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].step, 2);
  EXPECT_EQ(events[0].level, "info");
  EXPECT_EQ(events[0].text, "checkpoint written");
  EXPECT_EQ(events[1].level, "warning");
  EXPECT_EQ(events[1].text, "");
  EXPECT_EQ(events[2].text, "größer als ∞\n");
}

TEST(RunFile, IsReadableWithoutAnyRowOrSpec) {
  const TemporaryFolder folder;
  RunWriter::create(folder / "run.h5", "", {"step"}).finish("finished");
  const RunReader run(folder / "run.h5");
  EXPECT_EQ(run.rows(), 0u);
  EXPECT_TRUE(run.column("step").empty());
  EXPECT_TRUE(run.events().empty());
  EXPECT_EQ(run.spec_text(), "");
}

TEST(RunFile, CutToARowGoesOnFromThere) {
  const TemporaryFolder folder;
  {
    auto writer = three_rows(folder / "run.h5");
    writer.event(3, "info", "preempted");
  }
  auto writer = RunWriter::resume(folder / "run.h5", 2, columns);
  EXPECT_EQ(writer.rows(), 2u);
  EXPECT_EQ(RunReader(folder / "run.h5").rows(), 2u);
  writer.append(std::vector<double>{3, 7, 70});
  writer.event(3, "info", "resumed");
  writer.finish("finished");
  const RunReader run(folder / "run.h5");
  EXPECT_EQ(run.column("reward"), (std::vector<double>{0.5, 0.25, 7}));
  EXPECT_EQ(run.spec_text(), R"({"format":1})");
  ASSERT_EQ(run.events().size(), 2u);
  EXPECT_EQ(run.events()[0].text, "preempted");
  EXPECT_EQ(run.events()[1].text, "resumed");
}

TEST(RunFile, FinishedRunCanGoOn) {
  const TemporaryFolder folder;
  three_rows(folder / "run.h5").finish("preempted");
  auto writer = RunWriter::resume(folder / "run.h5", 3, columns, R"({"format":1,"longer":true})");
  EXPECT_EQ(RunReader(folder / "run.h5").status(), "running");
  EXPECT_EQ(RunReader(folder / "run.h5").spec_text(), R"({"format":1,"longer":true})");
  writer.append(std::vector<double>{4, 1, 1});
  writer.finish("finished");
  EXPECT_EQ(RunReader(folder / "run.h5").rows(), 4u);
}

TEST(RunFile, HasNoRowsLeftWhenCutToNone) {
  const TemporaryFolder folder;
  three_rows(folder / "run.h5").finish("failed");
  RunWriter::resume(folder / "run.h5", 0, columns).finish("failed");
  EXPECT_EQ(RunReader(folder / "run.h5").rows(), 0u);
}

TEST(RunFile, ResumeRefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  three_rows(folder / "run.h5").finish("failed");
  EXPECT_EQ(complaint([&] { RunWriter::resume(folder / "run.h5", 4, columns); }),
            "run.h5: has 3 rows, but the run continues after row 4");
  EXPECT_EQ(complaint([&] {
              RunWriter::resume(folder / "run.h5", 3, {"step", "reward"});
            }),
            "run.h5: has different columns from this run");
}

TEST(RunFile, SecondWriterIsRefusedAndReadersSeeTheFirst) {
  const TemporaryFolder folder;
  auto writer = three_rows(folder / "run.h5");
  const auto problem = "run.h5: another process is writing this file";
  EXPECT_EQ(complaint([&] { RunWriter::resume(folder / "run.h5", 3, columns); }), problem);
  EXPECT_EQ(complaint([&] { RunWriter::create(folder / "run.h5", "", columns); }), problem);
  EXPECT_TRUE(RunReader(folder / "run.h5").live());
  EXPECT_EQ(RunReader(folder / "run.h5").status(), "running");
  writer.append(std::vector<double>{4, 1, 1});
  writer.finish("finished");
  EXPECT_FALSE(RunReader(folder / "run.h5").live());
}

TEST(RunFile, ReaderSeesTheRowsThereWereWhenItOpened) {
  const TemporaryFolder folder;
  auto writer = three_rows(folder / "run.h5");
  const RunReader run(folder / "run.h5");
  writer.append(std::vector<double>{4, 1, 1});
  EXPECT_EQ(run.rows(), 3u);
  EXPECT_EQ(run.column("step").size(), 3u);
  EXPECT_EQ(RunReader(folder / "run.h5").column("step").size(), 4u);
}

TEST(RunFile, UnknownColumnIsAnErrorThatSuggestsTheNearest) {
  const TemporaryFolder folder;
  three_rows(folder / "run.h5").finish("finished");
  const RunReader run(folder / "run.h5");
  EXPECT_TRUE(run.has("reward"));
  EXPECT_FALSE(run.has("rewrad"));
  try {
    run.column("rewrad");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "has no column 'rewrad'");
    EXPECT_EQ(error.help(), "did you mean 'reward'? known: step, reward, rewards/length/score");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST(RunFile, RefusesColumnsThatHaveNoPlace) {
  const TemporaryFolder folder;
  auto refusal = [&](std::vector<std::string> names) {
    return complaint([&] { RunWriter::create(folder / "run.h5", "", std::move(names)); });
  };
  EXPECT_EQ(refusal({}), "run.h5: a run file needs at least one column");
  EXPECT_EQ(refusal({"a", "b", "a"}), "run.h5: duplicate column 'a'");
  EXPECT_EQ(refusal({"a/b", "a"}), "run.h5: column 'a' is a prefix of column 'a/b', which is not allowed");
  for (const char* name : {"", "/a", "a/", "a//b", ".", "a/../b"})
    EXPECT_EQ(refusal({name}), std::string("run.h5: '") + name + "' is not a valid column name");
}

TEST(RunFile, RowOfAnotherLengthIsAMistakeThatCostsNothing) {
  const TemporaryFolder folder;
  auto writer = three_rows(folder / "run.h5");
  EXPECT_EQ(complaint([&] { writer.append(std::vector<double>{1, 2}); }), "run.h5: a row has 2 values for 3 columns");
  writer.append(std::vector<double>{4, 1, 1});
  writer.finish("finished");
  EXPECT_EQ(complaint([&] {
              writer.append(std::vector<double>{5, 1, 1});
            }),
            "run.h5: accepts no more rows: it was closed, or a write failed");
}

TEST(RunFile, NamesWhatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(complaint([&] { RunReader(folder / "run.h5"); }), "run.h5: can't be read: No such file or directory");
  std::ofstream(folder / "run.h5") << "no HDF5 file at all";
  EXPECT_EQ(complaint([&] { RunReader(folder / "run.h5"); }).substr(0, 23), "run.h5: can't be opened");
}

TEST(RunFile, CutShortIsAnErrorOrReadsWell) {
  const TemporaryFolder folder;
  three_rows(folder / "run.h5").finish("finished");
  const auto size = std::filesystem::file_size(folder / "run.h5");
  for (int i = 1; i <= 20; ++i) {
    std::filesystem::copy_file(folder / "run.h5", folder / "cut.h5");
    std::filesystem::resize_file(folder / "cut.h5", size * static_cast<uint64_t>(i) / 21);
    std::vector<double> read;
    const auto said = complaint([&] { read = RunReader(folder / "cut.h5").column("reward"); });
    EXPECT_TRUE(said.starts_with("cut.h5: ") || read == std::vector<double>({0.5, 0.25, -0.125})) << i << said;
    std::filesystem::remove(folder / "cut.h5");
  }
}

TEST(RunFile, FindsRowsThatWereChangedBehindItsBack) {
  const TemporaryFolder folder;
  three_rows(folder / "run.h5").finish("finished");
  EXPECT_TRUE(RunReader(folder / "run.h5").damaged_rows().empty());
  std::string bytes = read_file(folder / "run.h5");
  const double reward = 0.25;  // reward of the second row; no other number is 0.25
  const auto at = bytes.find(std::string(reinterpret_cast<const char*>(&reward), sizeof reward));
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  write_file(folder / "run.h5", bytes);
  EXPECT_EQ(RunReader(folder / "run.h5").damaged_rows(), std::vector<uint64_t>{1});
  RunWriter::resume(folder / "run.h5", 3, columns).finish("finished");
  EXPECT_EQ(RunReader(folder / "run.h5").damaged_rows(), std::vector<uint64_t>{1});
}

// An untrusted file may store a dataset's elements, or the dataset itself, in another file (HDF5 external storage and
// links).
TEST(RunFile, ReadsAndWritesNoOtherFiles) {
  const TemporaryFolder folder;
  write_file(folder / "secret", std::string(24, 's'));
  for (const bool linked : {false, true}) {
    const auto file = folder / (linked ? "linked.h5" : "external.h5");
    three_rows(file).finish("finished");
    const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(id, 0);
    const std::string place = "rows/reward";
    ASSERT_GE(H5Ldelete(id, place.c_str(), H5P_DEFAULT), 0);
    if (linked) {
      three_rows(folder / "other.h5").finish("finished");
      H5Lcreate_external((folder / "other.h5").c_str(), place.c_str(), id, place.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    } else {
      const hsize_t three = 3;
      const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &three, nullptr);
      ASSERT_GE(H5Pset_external(creation, (folder / "secret").c_str(), 0, 24), 0);
      const hid_t made = H5Dcreate2(id, place.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
      ASSERT_GE(made, 0);
      H5Dclose(made), H5Sclose(space), H5Pclose(creation);
    }
    H5Fclose(id);
    EXPECT_THROW(RunReader(file).column("reward"), Error) << linked;
    EXPECT_THROW(RunWriter::resume(file, 3, columns), Error) << linked;
  }
  EXPECT_EQ(read_file(folder / "secret"), std::string(24, 's'));
}

// A full disk, simulated by a limit on the file's size, in a child, because HDF5 can't use that file again.
TEST(RunFile, FullDiskIsAnErrorAndCommittedRowsStay) {
  const TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    uint64_t rows = 0;
    std::string problem;
    try {
      auto writer = RunWriter::create(folder / "run.h5", "", columns);
      const rlimit limit{200'000, 200'000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      for (; rows < 100'000; ++rows) writer.append(std::vector<double>{double(rows), 0.5, 10});
    } catch (const Error& error) {
      problem = error.problem();
    }
    const bool named = problem.ends_with("can't be written: File too large");
    [[maybe_unused]] const auto n = ::write(ends[1], &rows, sizeof rows);
    std::exit(named ? 0 : 1);  // runs all destructors, which must not crash
  }
  uint64_t rows = 0;
  ASSERT_EQ(::read(ends[0], &rows, sizeof rows), static_cast<ssize_t>(sizeof rows));
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_GT(rows, 1000u);
  const RunReader run(folder / "run.h5");
  EXPECT_EQ(run.rows(), rows);
  const auto steps = run.column("step");
  for (uint64_t i = 0; i < rows; ++i) ASSERT_EQ(steps[i], static_cast<double>(i));
}

}  // namespace compeer::record
