#include "app/data_answers.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/files.h"

namespace compeer::app {
namespace {

namespace fs = std::filesystem;

std::string key(char digit) { return std::string(64, digit); }

std::string answer(char digit, const std::string& model, const std::string& served, double cost) {
  return R"({"key":")" + key(digit) + R"(","model":")" + model + R"(","served":")" + served +
         R"(","text":"t","prompt_tokens":10,"completion_tokens":2,"cost":)" + std::to_string(cost) + "}\n";
}

class StoredAnswers : public testing::Test {
 protected:
  StoredAnswers() {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "a-0.jsonl") << answer('1', "large", "large-2026", 0.5) << answer('2', "large", "", 0.25)
                                         << "nonsense\n";
    std::ofstream(folder_ / "b-0.jsonl") << R"({"key":")" << key('1') << "\",\"malformed\":true}\n"
                                         << answer('3', "small", "", 0);
  }
  auto log() {
    return [this](const std::string& line) { log_ += line + "\n"; };
  }

  fs::path folder_;
  std::string log_;
};

TEST_F(StoredAnswers, AreAddedUpByModel) {
  const auto sums = sums_of(folder_, {}, log());
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums.at("large").answers, 2);
  EXPECT_EQ(sums.at("large").malformed, 1) << "the mark lies in another process's file";
  EXPECT_EQ(sums.at("large").prompt_tokens, 20);
  EXPECT_EQ(sums.at("large").completion_tokens, 4);
  EXPECT_EQ(sums.at("large").cost, 0.75);
  EXPECT_EQ(sums.at("large").served, std::set<std::string>{"large-2026"});
  EXPECT_EQ(sums.at("small").malformed, 0);
  EXPECT_EQ(log_, (folder_ / "a-0.jsonl").string() + ":3: this answer is damaged and left out\n");
}

TEST_F(StoredAnswers, OfAModelAreThoseByTheNameItAnsweredByToo) {
  EXPECT_EQ(sums_of(folder_, {"large-2026", false}, nullptr).at("large").answers, 1);
  EXPECT_TRUE(sums_of(folder_, {"small", true}, nullptr).empty());
}

TEST_F(StoredAnswers, AreDroppedWithTheirMarksAndTheOthersStay) {
  EXPECT_EQ(drop_answers(folder_, {"", true}, nullptr).at("large").answers, 1);
  EXPECT_EQ(read_file(folder_ / "a-0.jsonl"), answer('2', "large", "", 0.25));
  EXPECT_EQ(read_file(folder_ / "b-0.jsonl"), answer('3', "small", "", 0));
  drop_answers(folder_, {"large", false}, nullptr);
  EXPECT_EQ(sums_of(folder_, {}, nullptr).size(), 1u);
  EXPECT_TRUE(drop_answers(folder_, {"large", false}, nullptr).empty());
}

TEST_F(StoredAnswers, AreNotDroppedWhileARunAddsToThem) {
  const plugin::AnswerFile run(folder_ / "b-0.jsonl", plugin::AnswerFile::Use::add);
  ASSERT_TRUE(run.lock());
  try {
    drop_answers(folder_, {"small", false}, nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), (folder_ / "b-0.jsonl").string());
    EXPECT_EQ(error.problem(), "a run is adding to it");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  EXPECT_EQ(sums_of(folder_, {}, nullptr).at("small").answers, 1);
}

TEST_F(StoredAnswers, AreNamedWhereThereAreNone) {
  try {
    sums_of(folder_ / "elsewhere", {}, nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "holds no answers");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

}  // namespace
}  // namespace compeer::app
