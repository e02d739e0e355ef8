#include "train/batch/records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../small_run.h"

namespace compeer::train {
namespace {

const std::string long_text(300, 'x');  // more tokens than the model has room for

std::vector<std::string> ids(const Groups& groups) {
  std::vector<std::string> all;
  for (const auto& group : groups) all.push_back(group.example.id);
  return all;
}

class RecordsOfARun : public testing::Test {
 protected:
  void with(const std::vector<nlohmann::json>& records, const SmallRun::Sets& sets = {}) {
    small.emplace(records, sets);
  }
  Records some(int64_t count, Records::Wanted wanted = {"train", Records::Then::completion, 8}) {
    return Records::some(small->world, *small->run.plugins, small->run.spec.table("dataset"), wanted, count);
  }
  Records shuffled(uint64_t count, Records::Wanted wanted = {"train", Records::Then::completion, 8}) {
    return Records::shuffled(small->world, *small->run.plugins, small->run.spec.table("dataset"), wanted, 7, count);
  }
  static std::vector<std::string> read(const Records& records, int64_t count) {
    return ids(records.read(0, count, [](int64_t i) { return i; }));
  }
  std::optional<SmallRun> small;
};

TEST_F(RecordsOfARun, AreTheFirstOfASplit) {
  with(five_dialogues());
  const auto three = some(3);
  EXPECT_EQ(three.size(), 3);
  EXPECT_EQ(read(three, 3), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(some(99).size(), 5);
  EXPECT_TRUE(three.remarks().empty());
}

TEST_F(RecordsOfARun, CanStayTogetherWhereTheyAreShuffled) {
  const auto six = [] {
    std::vector<nlohmann::json> all;
    for (const char* id : {"a1", "a2", "b1", "b2", "c1", "c2"}) all.push_back(said(id, {"hello"}, ""));
    return all;
  };
  with(six());
  const auto together = [](int64_t neighbours) {
    return Records::Wanted{"train", Records::Then::completion, 8, neighbours};
  };
  const auto records = shuffled(6, together(2));
  for (uint64_t position = 0; position < 6; position += 2) {
    EXPECT_EQ(records.at(position) % 2, 0);
    EXPECT_EQ(records.at(position + 1), records.at(position) + 1);
  }
  try {
    shuffled(6, together(4));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "sft.neighbours: is 4, but split 'train' has 6 examples, which it doesn't divide\n  help: it is meant "
                 "for data sets with so many examples of each record, as cer has three with view = \"prm\"");
  }
}

TEST_F(RecordsOfARun, AreReadWithTheIndexOfTheirGroup) {
  with(five_dialogues());
  const auto groups = some(5).read(6, 2, [](int64_t index) { return index - 4; });
  EXPECT_EQ(ids(groups), (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(groups[0].index, 6);
  EXPECT_EQ(groups[1].index, 7);
  EXPECT_FALSE(groups[0].prompt.empty());
}

TEST_F(RecordsOfARun, SkipThoseThatAreTooLong) {
  with({said("a", {"hello"}, ""), said("b", {long_text}, ""), said("c", {"hello"}, "")});
  const auto two = some(2);
  EXPECT_EQ(read(two, 2), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(two.counts(),
            (nlohmann::json{{"split", "train"}, {"records", 3}, {"trimmed", 0}, {"skipped", 1}, {"unanswered", 0}}));
  ASSERT_EQ(two.remarks().size(), 1u);
  EXPECT_EQ(
      two.remarks()[0].find("split 'train': of 3 records to be read 1 is too long and skipped; the first is b, with "),
      0u)
      << two.remarks()[0];
}

TEST_F(RecordsOfARun, ReplaceOneThatIsTooLongByAnother) {
  with({said("a", {"hello"}, ""), said("b", {long_text}, "")});
  const auto all = shuffled(2);
  EXPECT_EQ(all.size(), 2);
  EXPECT_EQ(read(all, 2), (std::vector<std::string>{"a", "a"}));
  EXPECT_NE(all.remarks()[0].find("1 is too long and skipped; others take their places; the first is b"),
            std::string::npos);
}

TEST_F(RecordsOfARun, StopARunWithLongPromptsIfTheSpecWantsThat) {
  with({said("a", {"hello"}, ""), said("b", {long_text}, "")}, {{"dataset.long_prompts", "error"}});
  const auto text = complaint([&] { shuffled(2); });
  EXPECT_EQ(text.find("split 'train': of 2 records to be read 1 is too long; the first is b, with "), 0u) << text;
  EXPECT_NE(text.find("help: dataset.long_prompts = \"trim\" leaves out the oldest turns, \"skip\" the records"),
            std::string::npos)
      << text;
}

TEST_F(RecordsOfARun, CanBeThoseWithAnAnswer) {
  with({said("a", {"hello"}, ""), said("b", {"hello"}, "hi")});
  EXPECT_EQ(read(some(2, {"train", Records::Then::answer_alone}), 1), std::vector<std::string>{"b"});
  EXPECT_EQ(some(2, {"train", Records::Then::answer}).size(), 2);
}

TEST_F(RecordsOfARun, MustNotAllBeUnusable) {
  with({said("a", {"hello"}, ""), said("b", {"hello"}, "")});
  EXPECT_EQ(
      complaint([&] {
        some(2, {"train", Records::Then::answer_alone});
      }),
      "datasets/prompts: has no record that can be used: split 'train': of 2 records to be read 2 are without an "
      "answer to learn from and skipped; the first is a\n  help: sft learns answers: is this the right data set?");
}

TEST_F(RecordsOfARun, NeedASplitThatHasSome) {
  with(five_dialogues());
  const auto text = complaint([&] { some(2, {"test"}); });
  EXPECT_NE(text.find("'test'"), std::string::npos) << text;
}

}  // namespace
}  // namespace compeer::train
