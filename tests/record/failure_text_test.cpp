#include "record/status.h"

#include <gtest/gtest.h>

namespace compeer::record {
namespace {

const std::string length = "rewards/length 1.0.0";

TEST(FailureText, NamesPhasePluginAndPlace) {
  EXPECT_EQ(place_of_failure("score", length, "a.jsonl:3"), "phase score, plugin rewards/length 1.0.0: a.jsonl:3");
  EXPECT_EQ(place_of_failure("score", length, ""), "phase score, plugin rewards/length 1.0.0");
  EXPECT_EQ(place_of_failure("score", "", "a.jsonl:3"), "phase score: a.jsonl:3");
  EXPECT_EQ(place_of_failure("", "", "a.jsonl:3"), "a.jsonl:3");
  EXPECT_EQ(place_of_failure("", "", ""), "");
}

TEST(FailureText, SaysNothingTwice) {
  const std::string where = "step 3, record a/7: rewards/length 1.0.0 (/x/length.so), in score()";
  EXPECT_EQ(place_of_failure("score", length, where), where);
  EXPECT_EQ(place_of_failure("train", length, where), "phase train: " + where);
}

}  // namespace
}  // namespace compeer::record
