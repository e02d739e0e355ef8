#include "record/rollout_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "places.h"
#include "temporary_folder.h"

namespace compeer::record {

namespace {

const std::vector<std::string> columns = {"rewards/length/score", "advantage"};

RolloutRow row(uint64_t step, uint64_t prompt, uint64_t completion) {
  RolloutRow made;
  made.step = step;
  made.prompt = prompt;
  made.completion = completion;
  made.example_id = "e" + std::to_string(10 * step + prompt);
  made.prompt_text = "question " + made.example_id;
  made.prompt_tokens = {1, 2, static_cast<int32_t>(prompt)};
  made.text = std::string(completion, 'x');  // completion 0 is empty
  made.tokens.assign(completion, static_cast<int32_t>(step));
  made.logprobs.assign(completion, -0.5f * static_cast<float>(step));
  made.values = {static_cast<double>(completion), -1.5};
  made.finished = completion == 1;
  return made;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST(Rollouts, GiveBackWhatWasWritten) {
  const TemporaryFolder folder;
  RolloutWriter writer(folder / "rollouts", 0, columns);
  writer.append({row(1, 0, 0), row(1, 0, 1), row(1, 1, 0), row(1, 1, 2)});
  writer.finish();
  const RolloutReader rollouts(folder.path());
  EXPECT_EQ(rollouts.value_columns(), columns);
  EXPECT_EQ(rollouts.steps(), std::vector<uint64_t>{1});
  const auto rows = rollouts.read(1);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].text, "");
  EXPECT_TRUE(rows[0].tokens.empty());
  EXPECT_EQ(rows[1].example_id, "e10");
  EXPECT_TRUE(rows[1].finished);
  EXPECT_EQ(rows[3].prompt, 1u);
  EXPECT_EQ(rows[3].completion, 2u);
  EXPECT_EQ(rows[3].prompt_text, "question e11");
  EXPECT_EQ(rows[3].prompt_tokens, (std::vector<int32_t>{1, 2, 1}));
  EXPECT_EQ(rows[3].text, "xx");
  EXPECT_EQ(rows[3].tokens, (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(rows[3].logprobs, (std::vector<float>{-0.5f, -0.5f}));
  EXPECT_EQ(rows[3].values, (std::vector<double>{2, -1.5}));
  EXPECT_FALSE(rows[3].finished);
}

TEST(Rollouts, AreReadOverAllRanksInTheOrderOfPrompts) {
  const TemporaryFolder folder;
  RolloutWriter one(folder / "rollouts", 1, columns), zero(folder / "rollouts", 0, columns);
  one.append({row(1, 1, 1), row(1, 1, 0)});
  zero.append({row(1, 2, 0), row(1, 0, 0), row(1, 2, 1), row(1, 0, 1)});
  one.finish();  // rank 0 is still writing
  std::vector<std::pair<uint64_t, uint64_t>> order;
  for (const auto& read : RolloutReader(folder.path()).read(1)) {
    order.emplace_back(read.prompt, read.completion);
    EXPECT_EQ(read.example_id, "e1" + std::to_string(read.prompt));
  }
  EXPECT_EQ(order, (std::vector<std::pair<uint64_t, uint64_t>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}));
  EXPECT_EQ(RolloutReader(folder.path()).counts(), (std::map<uint64_t, uint64_t>{{1, 6}}));
}

TEST(Rollouts, AreNamedByRankAndFirstStepAndSealedWhenFull) {
  const TemporaryFolder folder;
  RolloutWriter writer(folder / "rollouts", 3, columns, 1);  // each step fills a file
  writer.append({row(7, 0, 0)});
  writer.append({row(9, 0, 0)});
  EXPECT_EQ(names_in(folder / "rollouts"), (std::vector<std::string>{"r0003-000007.h5", "r0003-000009.h5"}));
  RolloutWriter open(folder / "rollouts", 4, columns);
  open.append({row(7, 0, 0)});
  EXPECT_EQ(names_in(folder / "rollouts")[2], "r0004-000007.h5.part");
  EXPECT_EQ(RolloutReader(folder.path()).steps(), (std::vector<uint64_t>{7, 9}));
}

TEST(Rollouts, TakeNoMemoryAsTheyGrow) {
  const TemporaryFolder folder;
  RolloutWriter writer(folder / "rollouts", 0, columns);
  size_t before = 0;
  for (uint64_t step = 1; step <= 600; ++step) {
    if (step == 100) before = ::mallinfo2().uordblks;
    auto one = row(step, 0, 0);
    one.prompt_text.assign(2000, 'q');
    writer.append({one});
  }
  EXPECT_LT(::mallinfo2().uordblks, before + 100000);  // of the 1.1 MB written meanwhile
}

TEST(Rollouts, AreNamedWhereverAnOpenFileWasCutOff) {
  const TemporaryFolder folder;
  const auto part = folder / "rollouts/r0000-000001.h5.part";
  { RolloutWriter(folder / "rollouts", 0, columns).append({row(1, 0, 1)}); }
  const std::string bytes = read_file(part);
  for (size_t length = 8192 + 100; length < 20480; length += 512) {
    write_file(part, bytes.substr(0, length));
    EXPECT_THROW(RolloutReader(folder.path()).read(1), Error) << length;
  }
}

TEST(Rollouts, OfARunWithoutAnyAreNoSteps) {
  const TemporaryFolder folder;
  EXPECT_TRUE(RolloutReader(folder.path()).steps().empty());
  EXPECT_TRUE(RolloutReader(folder.path()).read(1).empty());
  RolloutWriter writer(folder / "rollouts", 0, columns);
  writer.append({});
  writer.finish();
  EXPECT_TRUE(names_in(folder / "rollouts").empty());
}

TEST(Rollouts, ResumingDropsLaterStepsAndSealsTheRest) {
  const TemporaryFolder folder;
  {
    RolloutWriter writer(folder / "rollouts", 0, columns);
    for (uint64_t step = 1; step <= 5; ++step) writer.append({row(step, 0, 1)});
    RolloutWriter other(folder / "rollouts", 1, columns);
    other.append({row(5, 1, 1)});
  }
  RolloutWriter writer(folder / "rollouts", 0, columns);
  writer.resume(3, 2);
  EXPECT_EQ(names_in(folder / "rollouts"), (std::vector<std::string>{"r0000-000001.h5", "r0001-000005.h5.part"}));
  writer.append({row(4, 0, 2)});
  writer.finish();
  EXPECT_EQ(RolloutReader(folder.path()).counts(),
            (std::map<uint64_t, uint64_t>{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}));
  RolloutWriter again(folder / "rollouts", 0, columns);
  again.resume(0, 2);
  EXPECT_EQ(names_in(folder / "rollouts"), (std::vector<std::string>{"r0001-000005.h5.part"}));
}

TEST(Rollouts, OfRanksThatAreNoMoreLoseTheirLaterStepsToo) {
  const TemporaryFolder folder;
  for (int rank = 0; rank < 4; ++rank) {
    RolloutWriter writer(folder / "rollouts", rank, columns);
    for (uint64_t step = 1; step <= 3; ++step) writer.append({row(step, static_cast<uint64_t>(rank), 1)});
  }
  std::ofstream(folder / "rollouts/r0003-000009.h5.new") << "half";
  for (int rank = 0; rank < 2; ++rank) RolloutWriter(folder / "rollouts", rank, columns).resume(2, 2);
  EXPECT_EQ(RolloutReader(folder.path()).counts(), (std::map<uint64_t, uint64_t>{{1, 4}, {2, 4}}));
  EXPECT_EQ(names_in(folder / "rollouts"),
            (std::vector<std::string>{"r0000-000001.h5", "r0001-000001.h5", "r0002-000001.h5", "r0003-000001.h5"}));
}

TEST(Rollouts, ThatWereChangedBehindTheirBackAreNamed) {
  const TemporaryFolder folder;
  const auto part = folder / "rollouts/r0000-000001.h5.part", sealed = folder / "rollouts/r0000-000001.h5";
  { RolloutWriter(folder / "rollouts", 0, columns).append({row(1, 0, 0), row(1, 0, 2)}); }
  std::string bytes = read_file(part);
  const auto at = bytes.find("question e10");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'Q';
  write_file(part, bytes);
  const std::string text = ": completion 0 of prompt 0 in step 1 is damaged: checksum mismatch";
  EXPECT_EQ(complaint([&] { RolloutReader(folder.path()).read(1); }), "r0000-000001.h5.part" + text);
  RolloutWriter(folder / "rollouts", 0, columns).resume(1, 1);  // a resume does not repair it
  EXPECT_EQ(complaint([&] { RolloutReader(folder.path()).read(1); }), "r0000-000001.h5" + text);
}

TEST(Rollouts, ThatWereSealedAndAreCutOffAreNamed) {
  const TemporaryFolder folder;
  RolloutWriter writer(folder / "rollouts", 0, columns);
  writer.append({row(1, 0, 0), row(1, 0, 2)});
  writer.finish();
  const auto file = folder / "rollouts/r0000-000001.h5";
  const auto size = std::filesystem::file_size(file);
  for (uint64_t cut = 64; cut < size; cut += 97) {
    std::filesystem::copy_file(file, folder / "whole");
    std::filesystem::resize_file(file, cut);
    EXPECT_EQ(complaint([&] { RolloutReader(folder.path()).read(1); }),
              fmt::format("r0000-000001.h5: is truncated: it has {} bytes, should have {}", cut, size));
    std::filesystem::rename(folder / "whole", file);
  }
}

TEST(Rollouts, ResumingAfterAKillInTheMiddleOfSealingKeepsOneOfTheTwoFiles) {
  const TemporaryFolder folder;
  const auto part = folder / "rollouts/r0000-000001.h5.part";
  {
    RolloutWriter writer(folder / "rollouts", 0, columns);
    writer.append({row(1, 0, 1)});
  }
  std::filesystem::copy_file(part, folder / "kept");
  RolloutWriter writer(folder / "rollouts", 0, columns);
  writer.resume(1, 1);
  std::filesystem::rename(folder / "kept", part);  // as if killed just before the part file was removed
  EXPECT_EQ(RolloutReader(folder.path()).counts(), (std::map<uint64_t, uint64_t>{{1, 1}}));
  RolloutWriter(folder / "rollouts", 0, columns).resume(1, 1);
  EXPECT_EQ(names_in(folder / "rollouts"), std::vector<std::string>{"r0000-000001.h5"});
}

// After a power failure a file that was never synced may be empty.
TEST(Rollouts, ResumingDropsFilesOfLaterStepsWhetherOrNotTheyCanBeRead) {
  const TemporaryFolder folder;
  RolloutWriter writer(folder / "rollouts", 0, columns);
  writer.append({row(1, 0, 1)});
  writer.finish();
  for (const char* name : {"rollouts/r0000-000002.h5.part", "rollouts/r0001-000002.h5"})
    std::ofstream(folder / name) << std::string(8192, '\0');
  RolloutWriter(folder / "rollouts", 0, columns).resume(1, 1);
  EXPECT_EQ(names_in(folder / "rollouts"), std::vector<std::string>{"r0000-000001.h5"});
  RolloutWriter(folder / "rollouts", 0, columns).resume(0, 1);
  EXPECT_TRUE(names_in(folder / "rollouts").empty());
}

// After a power failure the file may contain the number of later completions, but not the numbers of their steps.
TEST(Rollouts, ResumingKeepsStepsWhoseSuccessorsWereLost) {
  const TemporaryFolder folder;
  const auto part = folder / "rollouts/r0000-000001.h5.part";
  RolloutWriter writer(folder / "rollouts", 0, columns);
  writer.append({row(1, 0, 1)});
  writer.append({row(2, 0, 1)});
  writer.sync();
  const std::string before = read_file(part);
  writer.append({row(3, 0, 1)});
  std::string after = read_file(part);
  ASSERT_EQ(after.size(), before.size());  // the new values fit into existing chunks
  // The 4 KiB blocks that begin with the number of completions are those of the dataset `committed`.
  size_t changed = 0;
  for (size_t at = 0; at < after.size(); at += 4096) {
    const bool committed = before.compare(at, 8, std::string("\2\0\0\0\0\0\0\0", 8)) == 0 && after[at] == 3;
    if (committed)
      ++changed;
    else
      after.replace(at, 4096, before, at, 4096);
  }
  ASSERT_EQ(changed, 1u);
  write_file(part, after);
  EXPECT_TRUE(RolloutReader::torn(folder.path(), 2).empty());
  EXPECT_EQ(RolloutReader(folder.path(), 2).steps(), (std::vector<uint64_t>{1, 2}));
  RolloutWriter(folder / "rollouts", 0, columns).resume(3, 1);
  EXPECT_EQ(RolloutReader(folder.path()).steps(), (std::vector<uint64_t>{1, 2}));
}

TEST(Rollouts, AreTornWithoutTheStepOfACheckpoint) {
  const TemporaryFolder folder;
  RolloutWriter writer(folder / "rollouts", 0, columns);
  writer.append({row(1, 0, 1)});
  writer.append({row(2, 0, 1)});
  EXPECT_TRUE(RolloutReader::torn(folder.path(), 2).empty());
  const auto torn = RolloutReader::torn(folder.path(), 3);
  ASSERT_EQ(torn.size(), 1u);
  EXPECT_EQ(torn[0].file, folder / "rollouts/r0000-000001.h5.part");
  EXPECT_EQ(torn[0].first_step, 1u);
  EXPECT_EQ(torn[0].problem, "has no completion of step 3");
  writer.finish();
  EXPECT_TRUE(RolloutReader::torn(folder.path(), 3).empty());  // a sealed file is never torn
}

TEST(Rollouts, OfADamagedFileNameAGroupThatIsNotThere) {
  for (const char* name : {"group_beyond.h5", "groups_wrap.h5"}) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "rollouts");
    std::filesystem::copy_file(std::string(COMPEER_SOURCE_DIR) + "/fuzz/corpus/rollouts/" + name,
                               folder / "rollouts/r0000-000001.h5");
    const RolloutReader rollouts(folder.path());
    EXPECT_EQ(complaint([&] { rollouts.read(1); }),
              "r0000-000001.h5: groups/example_id/ends has 1 elements instead of 18446744073709551615")
        << name;
  }
}

TEST(Rollouts, RefuseRowsThatDoNotFit) {
  const TemporaryFolder folder;
  RolloutWriter writer(folder / "rollouts", 0, columns);
  writer.append({row(2, 0, 0)});
  EXPECT_EQ(complaint([&] { writer.append({row(2, 1, 0)}); }), "rollouts: step 2 can't follow step 2");
  EXPECT_EQ(complaint([&] {
              writer.append({row(3, 0, 0), row(4, 0, 0)});
            }),
            "rollouts: rows of steps 3 and 4 given together");
  auto odd = row(3, 0, 2);
  odd.logprobs.pop_back();
  EXPECT_EQ(complaint([&] { writer.append({odd}); }), "rollouts: a row has 1 log-probabilities for 2 tokens");
  odd = row(3, 0, 2);
  odd.values.clear();
  EXPECT_EQ(complaint([&] { writer.append({odd}); }), "rollouts: a row has 0 values for 2 columns");
  RolloutWriter second(folder / "rollouts", 0, columns);
  EXPECT_EQ(complaint([&] { second.append({row(2, 0, 0)}); }), "r0000-000002.h5.part: already exists");
}

}  // namespace compeer::record
