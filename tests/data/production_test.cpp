#include "data/production.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "../plugins/built.h"
#include "base/error.h"
#include "base/files.h"
#include "data/source.h"
#include "data/stage_cache.h"

namespace compeer::data {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Seven records in portions of two: the portion of records 2 and 3 is the line "2+2" and the summary "2".
class BegunStage : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "compeer-production-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  PortionResult portion(int64_t first, int64_t count) {
    if (first == killed_at_) throw std::runtime_error("killed");
    made_.push_back(first);
    for (const auto start = Clock::now(); Clock::now() - start < takes_;) continue;
    PortionResult result;
    result.put({}, std::to_string(first) + "+" + std::to_string(count),
               [&](const nlohmann::json&) { return std::to_string(first); });
    result.tally.in = count;
    result.tally.counts["first"] = static_cast<double>(first);
    result.asked = {count, first >= asks_from_ ? 1 : 0, 0};
    return result;
  }

  // Returns the result of a process that is killed at record `killed_at`, or finishes if that is -1.
  StageResult process(int64_t killed_at, int64_t together = 2) {
    killed_at_ = killed_at;
    made_.clear();
    told_.clear();
    StageWork work{"test", 7, together, [this](int64_t first, int64_t count) { return portion(first, count); },
                   [this](int64_t done) { told_.push_back(done); }};
    work.partial_file = folder_ / "begun";
    return produce(world_, stop_, work, folder_);
  }
  void killed(int64_t at, int64_t together = 2) { EXPECT_THROW(process(at, together), comm::RankError); }

  void expect_all(const StageResult& product) {
    EXPECT_EQ(read_file(folder_ / "records.jsonl"), "0+2\n2+2\n4+2\n6+1\n");
    EXPECT_EQ(product.tally.in, 7);
    EXPECT_EQ(product.tally.out, 4);
    EXPECT_EQ(product.tally.counts.at("first"), 0 + 2 + 4 + 6);
    std::string summaries;
    each_summary(product.summaries, [&](const std::string& one) { summaries += one; });
    EXPECT_EQ(summaries, "0246");
  }

  comm::World world_;
  comm::StopFlag stop_;
  fs::path folder_;
  int64_t killed_at_ = -1, asks_from_ = 100;
  Clock::duration takes_{};  // minimum time per portion
  std::vector<int64_t> made_, told_;
};

using Numbers = std::vector<int64_t>;

// After a power failure a file may have its new length but zeros where bytes had not reached the disk.
TEST_F(BegunStage, TakesZerosForNothing) {
  killed(4);
  fs::resize_file(folder_ / "begun", fs::file_size(folder_ / "begun") + 4096);
  expect_all(process(-1));
  EXPECT_EQ(made_, (Numbers{2, 4, 6}));
}

TEST_F(BegunStage, GoesOnBehindWhatWasMade) {
  killed(2);
  EXPECT_FALSE(fs::exists(folder_ / "records.jsonl"));
  killed(4);
  EXPECT_EQ(made_, (Numbers{2}));
  expect_all(process(-1));
  EXPECT_EQ(made_, (Numbers{4, 6}));
  EXPECT_EQ(told_.front(), 4);
  EXPECT_EQ(told_.back(), 7);
}

TEST_F(BegunStage, ThatIsWholeIsReadBack) {
  process(-1);
  expect_all(process(-1));
  EXPECT_EQ(made_, Numbers());
}

TEST_F(BegunStage, IsMadeFromItsStartByOtherPortions) {
  killed(2);
  process(-1, 3);
  EXPECT_EQ(made_, (Numbers{0, 3, 6}));
  EXPECT_EQ(read_file(folder_ / "records.jsonl"), "0+3\n3+3\n6+1\n");
}

// If any byte is changed or the file is truncated anywhere, the portions before the damage are used, the others are
// made again.
TEST_F(BegunStage, CountsAsFarAsItIsWhole) {
  killed(2);
  const size_t one = fs::file_size(folder_ / "begun");
  killed(4);
  const auto whole = read_file(folder_ / "begun");
  const auto made_with = [&](std::string_view bytes) {
    write_file(folder_ / "begun", bytes);
    expect_all(process(-1));
    return made_.size();
  };
  EXPECT_EQ(made_with(whole), 2u);
  for (size_t at = 0; at < whole.size(); at += 5) {
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    const size_t made = at < one ? 4 : 3;
    EXPECT_EQ(made_with(bytes), made) << at;
    EXPECT_EQ(made_with(std::string_view(whole).substr(0, at)), made) << at;
  }
}

// The answers of chat models are stored elsewhere, and failed requests must be sent again.
TEST_F(BegunStage, KeepsNothingFromTheFirstQuestionOn) {
  asks_from_ = 2;
  killed(4);
  EXPECT_EQ(made_, (Numbers{0, 2}));
  asks_from_ = 100;
  expect_all(process(-1));
  EXPECT_EQ(made_, (Numbers{2, 4, 6}));
}

TEST_F(BegunStage, SaysHowLongAllProcessesTook) {
  const auto start = Clock::now();
  takes_ = std::chrono::milliseconds(20);
  killed(4);
  const double both = process(-1).seconds;
  EXPECT_GT(both, 4 * .0199) << "two portions are the first one's, two the second's";
  EXPECT_LT(both, std::chrono::duration<double>(Clock::now() - start).count());
}

TEST_F(BegunStage, ThatCannotBeOpenedIsNotMadeAgain) {
  killed(4);
  rlimit before;
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_THROW(PartialStageFile(folder_ / "begun", "form", [](std::string_view) {}), Error);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

// Reading /proc/self/mem fails with an I/O error, like a bad disk. A finished stage must not be discarded because of
// it.
TEST_F(BegunStage, WhenFinishedIsKeptThoughItsDiskFails) {
  fs::create_directories(folder_ / "cache" / "key");
  fs::create_symlink("/proc/self/mem", folder_ / "cache" / "key" / "result.json");
  try {
    StageCache(folder_ / "cache").find("key");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "can't be read: Input/output error");
    EXPECT_EQ(error.exit(), Exit::failure);
  }
  EXPECT_TRUE(fs::exists(folder_ / "cache" / "key"));
}

TEST(RecordSource, SaysWhichSplitsHaveRecordsWhereThoseAskedForHaveNone) {
  auto world = built::open<Dataset>("esc_world", {{"train", 3}, {"valid", 0}, {"test", 2}});
  EXPECT_EQ(RecordSource(world, {}).size(), 5);
  try {
    RecordSource(world, {"train", "tset"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "datasets/esc_world: has no records in split 'tset'\n"
                 "  help: set data.splits to a split with records; there are 3 in train, 2 in test");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  auto nothing = built::open<Dataset>("esc_world", {{"train", 0}, {"valid", 0}, {"test", 0}});
  try {
    RecordSource(nothing, {"train"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "datasets/esc_world: has no records in split 'train'\n"
                 "  help: set data.splits to a split with records; none has any; check that the file of the split "
                 "exists and has the right name");
  }
}

TEST(RecordSource, ReadsTheFirstRecordsOfEachSplit) {
  auto world = built::open<Dataset>("esc_world", {{"train", 3}, {"valid", 1}, {"test", 4}});
  RecordSource all(world, {}), some(world, {}, 2);
  ASSERT_EQ(some.size(), 5);
  const std::vector<int64_t> places = {0, 1, 3, 4, 5};
  for (int64_t i = 0; i < some.size(); ++i) EXPECT_EQ(some.record(i), all.record(places[static_cast<size_t>(i)])) << i;
}

}  // namespace
}  // namespace compeer::data
