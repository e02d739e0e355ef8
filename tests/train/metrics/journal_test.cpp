#include "train/metrics/journal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../small_run.h"
#include "base/files.h"

namespace compeer::train {
namespace {

// Tests the contents of a run's folder after each call.
class JournalOfARun : public testing::Test {
 protected:
  Journal& opened(uint64_t done = 0) {
    journal.reset();
    journal = std::make_unique<Journal>(small.world, Journal::Plan{small.folder.path(),
                                                                   small.run.spec_file.dump(),
                                                                   "grpo",
                                                                   {"step", "loss"},
                                                                   {"reward", "rewards/length/reward", "advantage"},
                                                                   3,
                                                                   done});
    return *journal;
  }
  void append(uint64_t step, double loss) {
    MetricRow row(journal->columns());
    row.set("step", static_cast<double>(step));
    row.set("loss", loss);
    journal->append(step, row);
  }
  std::vector<double> losses() const { return record::RunReader(small.folder / "run.h5").column("loss"); }
  nlohmann::json file(const char* name) const { return nlohmann::json::parse(read_file(small.folder / name)); }

  SmallRun small{five_dialogues()};
  std::unique_ptr<Journal> journal;
};

// One group with one completion.
StepBatch scored() {
  PromptGroup group;
  group.index = 1;
  group.example.id = "a";
  group.prompt = {70, 71};
  group.samples = {{{72, 73}, {-0.5f, -0.25f}, {}, true}};
  group.completions = {{"hi", 2, true}};
  StepBatch batch({group}, 1);
  for (const auto& [name, value] : {std::pair("rewards/length/reward", 4.0), {"reward", 2.0}, {"advantage", 0.5}}) {
    batch.columns.set_unknown(name);
    batch.columns.row(name, 0)[0] = value;
  }
  return batch;
}

TEST_F(JournalOfARun, KeepsTheValuesOfEachCompletionByName) {
  opened().rollouts(1, *small.run.plugins, scored());
  append(1, 0.1);
  journal->close_rollouts();
  journal->finish({});
  const record::RolloutReader reader(small.folder.path());
  EXPECT_EQ(reader.value_columns(), (std::vector<std::string>{"reward", "rewards/length/reward", "advantage"}));
  const auto rows = reader.read(1);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].values, (std::vector<double>{2, 4, 0.5}));
  EXPECT_EQ(rows[0].prompt, 1u);
  EXPECT_EQ(rows[0].example_id, "a");
  EXPECT_EQ(rows[0].text, "hi");
  EXPECT_EQ(rows[0].tokens, (std::vector<int32_t>{72, 73}));
}

TEST_F(JournalOfARun, SummarizesTheMeansOfItsRows) {
  opened();
  append(1, 1);
  append(2, std::nan(""));
  append(3, 2);
  journal->set_data_summary({{"unreadable", 0}});
  journal->close_rollouts();
  journal->finish({});
  const auto summary = file("summary.json");
  EXPECT_EQ(summary.at("metrics").at("loss").at("mean"), 1.5);
  EXPECT_EQ(summary.at("details").at("data").at("unreadable"), 0);
  EXPECT_EQ(file("status.json").at("state"), "finished");
}

TEST_F(JournalOfARun, GoesOnAfterTheStepOfACheckpoint) {
  opened();
  append(1, 1);
  append(2, 2);
  journal->sync();
  auto status = *record::read_status(small.folder.path());
  status.started = "2025-03-01T12:34:56Z", status.elapsed = 3600;
  record::write_status(small.folder.path(), status);
  testing::internal::CaptureStderr();
  opened(1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "compeer: note: resumed after step 1\n");
  append(2, 5);
  journal->stop("preempted");
  EXPECT_EQ(losses(), (std::vector<double>{1, 5}));
  EXPECT_EQ(file("status.json").at("state"), "preempted");
  EXPECT_EQ(file("status.json").at("started"), "2025-03-01T12:34:56Z");
  EXPECT_GE(file("status.json").at("elapsed"), 3600);
}

TEST_F(JournalOfARun, CanEndBeforeAllStepsThatWerePlanned) {
  opened();
  append(1, 1);
  testing::internal::CaptureStderr();
  journal->end_at(1, "no better loss since step 1");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "compeer: note: ended after step 1 of 3: no better loss since step 1\n");
  journal->close_rollouts();
  journal->finish({});
  EXPECT_EQ(file("status.json").at("steps"), 1);
}

}  // namespace
}  // namespace compeer::train
