#include "train/validation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "small_run.h"

namespace compeer::train {
namespace {

// The loss that `measure` gives at each step.
class ValidationOfARun : public testing::Test {
 protected:
  Validation& with(SmallRun::Sets sets, std::map<uint64_t, double> losses) {
    small.emplace(five_dialogues(), sets);
    training.emplace(small->run, 0.1, 10);
    const auto measure = [losses](uint64_t step) {
      return Validation::Metrics{{"length", 1}, {"loss", losses.at(step)}};
    };
    validation.emplace(small->run, *training, 10, std::vector<std::string>{"loss", "length"}, "loss", measure);
    return *validation;
  }
  bool better(uint64_t step) {
    MetricRow row(columns);
    const bool is_better = validation->run_if_due(step, row);
    loss = row.get("validation/loss");
    return is_better;
  }
  const std::vector<std::string> columns{"validation/loss", "validation/length", "seconds/validation"};
  std::optional<SmallRun> small;
  std::optional<Training> training;
  std::optional<Validation> validation;
  double loss = 0;
};

TEST_F(ValidationOfARun, IsOffUnlessTheSpecWantsIt) {
  auto& off = with({}, {});
  EXPECT_TRUE(off.columns().empty());
  EXPECT_EQ(off.plan(), "");
  EXPECT_FALSE(better(10));
  EXPECT_FALSE(held_out_records(small->run, {"train"}));
}

TEST_F(ValidationOfARun, ReadsTheRecordsOfItsOwnSplit) {
  with({{"validation.every", 2}}, {});
  const auto records = held_out_records(small->run, {"train", Records::Then::completion, 8});
  ASSERT_TRUE(records);
  EXPECT_EQ(records->read(0, 1, [](int64_t i) { return i; })[0].example.id, "v");
}

TEST_F(ValidationOfARun, RunsEveryFewStepsAndAfterTheLast) {
  auto& v = with({{"validation.every", 4}}, {{4, 1}, {8, 2}, {10, 3}});
  EXPECT_EQ(v.columns(), (std::vector<std::string>{"validation/loss", "seconds/validation"}));
  EXPECT_EQ(v.plan(), "validation: at most 64 records of split 'valid' every 4 steps; lower loss is better");
  for (const uint64_t step : {1, 2, 3, 5, 9}) {
    better(step);
    EXPECT_TRUE(std::isnan(loss)) << step;
  }
  better(10);
  EXPECT_EQ(loss, 3);
}

TEST_F(ValidationOfARun, KnowsTheBestStepAndWhenToStop) {
  auto& v = with({{"validation.every", 1}, {"validation.patience", 2}},
                 {{1, 3.0}, {2, std::nan("")}, {3, 2.0}, {4, 2.0}, {5, 2.5}});
  EXPECT_TRUE(better(1));
  EXPECT_FALSE(better(2));
  EXPECT_TRUE(better(3));
  EXPECT_EQ(v.best(), 3u);
  EXPECT_FALSE(better(4));  // as good isn't better
  EXPECT_FALSE(v.is_over(4));
  EXPECT_FALSE(better(5));
  EXPECT_TRUE(v.is_over(5));
  EXPECT_EQ(v.why_over(), "no better validation/loss since step 3");
  EXPECT_EQ(v.estimates().at("validation/loss").mean, 2.0);
  EXPECT_EQ(v.estimates().at("validation/best_step").mean, 3);
  EXPECT_EQ(training->numbers.at("validation/best_step"), 3);  // goes into checkpoints
}

TEST_F(ValidationOfARun, NamesMetricsThatDoNotExist) {
  EXPECT_EQ(complaint([&] {
              with({{"validation.every", 1}, {"validation.metrics", {"los"}}}, {});
            }),
            "validation.metrics: no metric 'los'\n  help: did you mean 'loss'? known: loss, length");
  EXPECT_EQ(complaint([&] {
              with({{"validation.every", 1}, {"validation.metrics", {"length"}}}, {});
            }),
            "validation.better: must be set: whether a higher 'length' is better is not known\n  help: set it to "
            "\"higher\" or \"lower\"");
}

}  // namespace
}  // namespace compeer::train
