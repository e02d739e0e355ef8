#include "train/batch/records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "../small_run.h"

namespace compeer::train {
namespace {

TEST(RecordAt, VisitsEveryRecordOnceAnEpoch) {
  for (const int64_t size : {1, 2, 3, 7, 64, 65, 1000}) {
    for (uint64_t epoch = 0; epoch < 3; ++epoch) {
      std::set<int64_t> seen;
      for (int64_t i = 0; i < size; ++i)
        seen.insert(record_at(5, epoch * static_cast<uint64_t>(size) + static_cast<uint64_t>(i), size));
      EXPECT_EQ(static_cast<int64_t>(seen.size()), size);
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), size - 1);
    }
  }
}

// Four records with three questions each.
TEST(RecordAt, LeavesNeighboursTogether) {
  for (uint64_t position = 0; position < 24; position += 3) {
    const int64_t first = record_at(5, position, 12, 3);
    EXPECT_EQ(first, 3 * record_at(5, position / 3, 4));
    EXPECT_EQ(record_at(5, position + 1, 12, 3), first + 1);
    EXPECT_EQ(record_at(5, position + 2, 12, 3), first + 2);
  }
}

TEST(RecordAt, OrdersEpochsAndSeedsDifferently) {
  const auto order = [](uint64_t seed, uint64_t epoch) {
    std::vector<int64_t> all;
    for (uint64_t i = 0; i < 100; ++i) all.push_back(record_at(seed, epoch * 100 + i, 100));
    return all;
  };
  EXPECT_NE(order(1, 0), order(1, 1));
  EXPECT_NE(order(1, 0), order(2, 0));
  EXPECT_EQ(order(1, 0), order(1, 0));
}

const std::string long_text(300, 'x');  // more tokens than the model has positions

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
  Records some(int64_t count, Records::RecordFilter wanted = {"train", Records::Reserve::completion, 8}) {
    return Records::select(small->world, *small->run.plugins, small->run.spec.table("dataset"), wanted, count);
  }
  Records shuffled(uint64_t count, Records::RecordFilter wanted = {"train", Records::Reserve::completion, 8}) {
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
    return Records::RecordFilter{"train", Records::Reserve::completion, 8, neighbours};
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
                 "sft.neighbours: is 4, but split 'train' has 6 examples, which is not a multiple of it\n  help: set "
                 "it to the number of examples per record in the dataset: 3 for cer with view = \"prm\"");
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
  EXPECT_NE(all.remarks()[0].find("1 is too long and skipped; other records replace them; the first is b"),
            std::string::npos);
}

TEST_F(RecordsOfARun, StopARunWithLongPromptsIfTheSpecWantsThat) {
  with({said("a", {"hello"}, ""), said("b", {long_text}, "")}, {{"dataset.long_prompts", "error"}});
  const auto text = complaint([&] { shuffled(2); });
  EXPECT_EQ(text.find("split 'train': of 2 records to be read 1 is too long; the first is b, with "), 0u) << text;
  EXPECT_NE(
      text.find(
          "help: set dataset.long_prompts to \"trim\" to drop the oldest turns, or to \"skip\" to drop the records"),
      std::string::npos)
      << text;
}

TEST_F(RecordsOfARun, CanBeThoseWithAnAnswer) {
  with({said("a", {"hello"}, ""), said("b", {"hello"}, "hi")});
  EXPECT_EQ(read(some(2, {"train", Records::Reserve::required_answer}), 1), std::vector<std::string>{"b"});
  EXPECT_EQ(some(2, {"train", Records::Reserve::answer}).size(), 2);
}

TEST_F(RecordsOfARun, MustNotAllBeUnusable) {
  with({said("a", {"hello"}, ""), said("b", {"hello"}, "")});
  EXPECT_EQ(
      complaint([&] {
        some(2, {"train", Records::Reserve::required_answer});
      }),
      "datasets/prompts: has no usable record: split 'train': of 2 records to be read 2 are without an answer to train "
      "on and skipped; the first is a\n  help: sft trains on answers: check that this is the right dataset");
}

TEST_F(RecordsOfARun, NeedASplitThatHasSome) {
  with(five_dialogues());
  const auto text = complaint([&] { some(2, {"test"}); });
  EXPECT_NE(text.find("'test'"), std::string::npos) << text;
}

class PromptsOfARun : public testing::Test {
 protected:
  RecordPrompts& with(const SmallRun::Sets& sets = {}) {
    small.emplace(five_dialogues(), sets);
    made.emplace(*small->run.plugins, small->run.spec.table("dataset"));
    return *made;
  }
  // Returns a dialogue with turns of five words each, alternately of user and assistant.
  static Example dialogue(size_t turns) {
    Example example;
    example.id = "a";
    for (size_t i = 0; i < turns; ++i)
      example.history.push_back({i % 2 == 0 ? "user" : "assistant", std::to_string(i) + " i feel sad today"});
    return example;
  }
  static std::vector<std::string> texts(const RecordPrompt& prompt) {
    std::vector<std::string> all;
    for (const Turn& turn : prompt.turns) all.push_back(turn.text);
    return all;
  }
  std::optional<SmallRun> small;
  std::optional<RecordPrompts> made;
};

TEST_F(PromptsOfARun, ShowAllTurnsWhereThereIsRoom) {
  const auto prompt = with().of(dialogue(3), 8);
  EXPECT_EQ(prompt.turns.size(), 3u);
  EXPECT_FALSE(prompt.trimmed);
  EXPECT_TRUE(prompt.fits);
  EXPECT_EQ(prompt.tokens, made->whole(dialogue(3)).tokens);
}

// A trimmed dialogue begins with a user's turn, not with an answer to a removed turn.
TEST_F(PromptsOfARun, LoseTheirOldestTurnsWhereTheyAreTooLong) {
  auto& prompts = with();
  const auto three = static_cast<int64_t>(prompts.whole(dialogue(3)).tokens.size());
  const auto seven = prompts.of(dialogue(7), 80 - three);
  EXPECT_TRUE(seven.trimmed);
  EXPECT_TRUE(seven.fits);
  EXPECT_EQ(texts(seven), (std::vector<std::string>{"4 i feel sad today", "5 i feel sad today", "6 i feel sad today"}));
  const auto less = prompts.of(dialogue(7), 80 - three + 1);
  EXPECT_EQ(texts(less), std::vector<std::string>{"6 i feel sad today"});
}

TEST_F(PromptsOfARun, DoNotFitIfTheLastTurnAloneIsTooLong) {
  const auto prompt = with().of(dialogue(3), 79);
  EXPECT_FALSE(prompt.fits);
  EXPECT_EQ(prompt.turns.size(), 3u);
}

TEST_F(PromptsOfARun, AreNotTrimmedUnlessTheSpecSaysSo) {
  auto& prompts = with({{"dataset.long_prompts", "skip"}, {"dataset.max_prompt_tokens", 20}});
  EXPECT_FALSE(prompts.of(dialogue(3), 8).fits);
  EXPECT_TRUE(prompts.is_limited());
  EXPECT_EQ(prompts.limit(8), 20);
  EXPECT_EQ(prompts.limit(70), 10);  // the model has 80 positions
}

TEST_F(PromptsOfARun, HaveTheSystemTurnOfTheSpecInPlaceOfTheirOwn) {
  auto& prompts = with({{"dataset.system", "answer briefly"}});
  auto example = dialogue(1);
  example.history.insert(example.history.begin(), {"system", "be kind"});
  EXPECT_EQ(texts(prompts.whole(example)), (std::vector<std::string>{"answer briefly", "0 i feel sad today"}));
  EXPECT_EQ(texts(with().whole(example)), (std::vector<std::string>{"be kind", "0 i feel sad today"}));
}

}  // namespace
}  // namespace compeer::train
