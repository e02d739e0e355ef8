#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "../program.h"
#include "app/data_answers.h"
#include "base/error.h"
#include "base/files.h"
#include "places.h"

namespace compeer::app {
namespace {

using nlohmann::json;

class DataStats : public Program {
 protected:
  DataStats() {
    json dialogue = {{"emotion_type", "fear"},
                     {"problem_type", nullptr},
                     {"dialog",
                      {{{"text", "I can not sleep."}, {"speaker", "usr"}},
                       {{"text", "Since when?"}, {"speaker", "sys"}, {"strategy", "Questions"}},
                       {{"text", "That is hard."}, {"speaker", "sys"}, {"strategy", "Other"}}}}};
    write("train.txt", dialogue.dump() + "\n" + dialogue.dump() + "\n");
    write("broken.txt", dialogue.dump() + "\n{\"dialog\": [\n");
  }
  json counted(const std::string& arguments) {
    const auto text = told("data stats " + arguments + " --json");
    EXPECT_TRUE(text.ends_with("exit 0")) << text;
    return json::parse(text.substr(0, text.find('\n'))).at("sources").at(0);
  }
};

TEST_F(DataStats, CountsADatasetAsItWasWritten) {
  const json all = counted("esconv --set path=train.txt");
  EXPECT_EQ(all.at("dialogues"), 2);
  EXPECT_EQ(all.at("turns"), 6);
  EXPECT_EQ(all.at("turns_by_role"), (json{{"assistant", 4}, {"user", 2}}));
  EXPECT_EQ(all.at("splits"), (json{{"train", {{"dialogues", 2}, {"turns", 6}}}}));
  EXPECT_EQ(all.at("length_of_turns").at("user"), (json{{"min", 4}, {"mean", 4.0}, {"max", 4}}));
  EXPECT_EQ(all.at("labels").at("emotion"),
            (json{{"given", 2}, {"missing", 0}, {"different", 1}, {"counts", {{"fear", 2}}}}));
  EXPECT_EQ(all.at("labels").at("problem").at("missing"), 2);
  EXPECT_EQ(all.at("turn_labels").at("assistant.strategy").at("counts"), (json{{"Question", 2}, {"Others", 2}}));
  EXPECT_EQ(all.at("unreadable"), json::array());
  EXPECT_EQ(counted("esconv --set path=train.txt --set dataset.merge=true").at("turns"), 4);
}

TEST_F(DataStats, PrintsTables) {
  const auto text = told("data stats esconv --set path=train.txt");
  EXPECT_NE(text.find("split       dialogues      turns\ntrain               2          6\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("assistant.strategy: in 4 of 4, 2 distinct values\n         2  50.0 %  Others\n"),
            std::string::npos)
      << text;
}

TEST_F(DataStats, NamesWhatCannotBeRead) {
  EXPECT_NE(told("data stats esconv --set path=broken.txt")
                .find("broken.txt: 1 of 2 records can't be read (50 %): broken.txt, record 2: is not JSON: it ends too "
                      "early, as if cut off\n  help: 'max_unreadable' allows a share of 0.01\nexit 4"),
            std::string::npos);
  const auto text = told("data stats esconv --set path=broken.txt --set max_unreadable=1");
  EXPECT_NE(text.find("records that can't be read: 1\n  broken.txt, record 2: is not JSON"), std::string::npos) << text;
}

TEST_F(DataStats, CountsWhatASpecNames) {
  const json all = counted(smoke + " --set dataset.train=5 --set dataset.valid=0 --set dataset.test=0");
  EXPECT_EQ(all.at("dialogues"), 5);
  EXPECT_EQ(all.at("plugin"), "esc_world");
}

TEST_F(DataStats, RefusesMistakes) {
  EXPECT_EQ(first_line("data stats esconvv"), "compeer: error: compeer data stats: no dataset plugin 'esconvv'");
  EXPECT_NE(told("data stats esconv").find("esconv: its setting 'path' is missing"), std::string::npos);
  EXPECT_TRUE(told("data stats esconv").ends_with("exit 2"));
  EXPECT_NE(told("data stats esconv --set pfad=x").find("unknown key 'dataset.pfad'"), std::string::npos);
  EXPECT_NE(told("data stats esconv --set path=nowhere").find("nowhere: does not exist"), std::string::npos);
  EXPECT_NE(told("data stat").find("did you mean 'stats'?"), std::string::npos);
}

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
  const auto sums = answer_totals(folder_, {}, log());
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums.at("large").answers, 2);
  EXPECT_EQ(sums.at("large").malformed, 1) << "the mark lies in another process's file";
  EXPECT_EQ(sums.at("large").prompt_tokens, 20);
  EXPECT_EQ(sums.at("large").completion_tokens, 4);
  EXPECT_EQ(sums.at("large").cost, 0.75);
  EXPECT_EQ(sums.at("large").served, std::set<std::string>{"large-2026"});
  EXPECT_EQ(sums.at("small").malformed, 0);
  EXPECT_EQ(log_, (folder_ / "a-0.jsonl").string() + ":3: this answer is damaged and is ignored\n");
}

TEST_F(StoredAnswers, OfAModelAreThoseByTheNameItAnsweredByToo) {
  EXPECT_EQ(answer_totals(folder_, {"large-2026", false}, nullptr).at("large").answers, 1);
  EXPECT_TRUE(answer_totals(folder_, {"small", true}, nullptr).empty());
}

TEST_F(StoredAnswers, AreDroppedWithTheirMarksAndTheOthersStay) {
  EXPECT_EQ(drop_answers(folder_, {"", true}, nullptr).at("large").answers, 1);
  EXPECT_EQ(read_file(folder_ / "a-0.jsonl"), answer('2', "large", "", 0.25));
  EXPECT_EQ(read_file(folder_ / "b-0.jsonl"), answer('3', "small", "", 0));
  drop_answers(folder_, {"large", false}, nullptr);
  EXPECT_EQ(answer_totals(folder_, {}, nullptr).size(), 1u);
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
    EXPECT_EQ(error.problem(), "a run is writing to it");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  EXPECT_EQ(answer_totals(folder_, {}, nullptr).at("small").answers, 1);
}

TEST_F(StoredAnswers, AreNamedWhereThereAreNone) {
  try {
    answer_totals(folder_ / "elsewhere", {}, nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "contains no answers");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

// Returns {"id", "history"} with these emotion points of the user. `answered`: the dialogue ends with a reply, because
// of the limit on rounds.
std::string dialogue(const std::string& id, const std::vector<int>& points, bool answered) {
  json history = json::array();
  for (size_t i = 0; i < points.size(); ++i) {
    history.push_back({{"role", "user"}, {"emotion-point", points[i]}});
    if (i > 0) history.back()["planning"] = {{"change", points[i] - points[i - 1]}};
    if (i + 1 < points.size() || answered) history.push_back({{"role", "assistant"}, {"content", "why?"}});
  }
  return json{{"id", id}, {"emo_point", points.back()}, {"history", history}}.dump() + "\n";
}

const std::string failed = dialogue("a", {40, 30, 20, 10, 0}, false);
const std::string limited = dialogue("b", {40, 45, 50, 55, 60, 65, 60, 60, 60, 60}, true);
const std::string content = dialogue("c", {40, 50, 60, 70, 80, 90, 100}, false);

class Rescore : public Program {
 protected:
  json rescored(const std::string& arguments) {
    const auto text = told("rescore " + arguments + " --json 2>/dev/null");
    EXPECT_TRUE(text.ends_with("exit 0")) << text;
    return json::parse(text.substr(0, text.find('\n')));
  }
};

TEST_F(Rescore, SumsUpRecordedDialogues) {
  write("r.jsonl", failed + limited + content);
  const json all = rescored("sage r.jsonl");
  EXPECT_EQ(all.at("n"), 3);
  EXPECT_DOUBLE_EQ(all.at("mean_emotion").at("value"), 160.0 / 3);  // (0 + 60 + 100) / 3
  EXPECT_EQ(all.at("success").at("count"), 1);
  EXPECT_EQ(all.at("failure").at("count"), 1);
  EXPECT_DOUBLE_EQ(all.at("rounds").at("value"), 22.0 / 3);  // (5 + 10 + 7) / 3
  EXPECT_EQ(all.at("curves").at("emotion").size(), 10u);
  EXPECT_EQ(all.at("rescored").at("records"), 3);
  write("r.json", "[" + failed + "," + limited + "," + content + "]");
  EXPECT_EQ(rescored("sage r.json").at("mean_emotion"), all.at("mean_emotion"));
  write("named.json", "{\n\"x\": " + failed + ", \"y\": " + limited + "}");
  EXPECT_EQ(rescored("sage named.json").at("n"), 2);
}

TEST_F(Rescore, PrintsATable) {
  write("r.jsonl", failed + limited + content);
  const auto text = told("rescore sage r.jsonl --set resamples=0");
  EXPECT_EQ(text,
            "r.jsonl: 3 records, sage\n"
            "\n"
            "     n  mean_emotion  success  failure  rounds\n"
            "all  3  53.33         0.33     0.33     7.33\n"
            "\n"
            "ends: failure 1, limit 1, success 1\n"
            "invalid: 0\n"
            "limit: 10\n"
            "emotion: 40.00 41.67 43.33 45.00 46.67 51.67 53.33 53.33 53.33 53.33\n"
            "\n"
            "counted\n"
            "  ended by failure: 1\n"
            "  ended by limit: 1\n"
            "  ended by success: 1\n"
            "exit 0");
}

TEST_F(Rescore, NamesWhatCanNotBeScored) {
  write("r.jsonl", failed + "\n" + dialogue("cut", {40, 35}, true));
  const auto text = told("rescore sage r.jsonl");
  EXPECT_NE(
      text.find(
          "record 'cut' can't be scored: not ended: the last of 4 turns is the supporter's, before the limit of 10 "
          "rounds, at 35 points\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("records that can't be scored: 1\n  r.jsonl, record 3 (cut): not ended\n"), std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("exit 0"));
  const json all = rescored("sage r.jsonl");
  EXPECT_EQ(all.at("invalid"), 1);
  EXPECT_EQ(all.at("mean_emotion").at("value"), 0);
  EXPECT_EQ(all.at("rescored").at("dropped"), (json{{{"id", "cut"}, {"record", 3}, {"reason", "not ended"}}}));
  EXPECT_EQ(rescored("sage r.jsonl --set rounds=2").at("n"), 1) << "the one that is now within the rules";
}

TEST_F(Rescore, RefusesWhatCanNotBeRead) {
  write("r.jsonl", failed + "{\"id\": \"b\", \"histo\n");
  const auto text = told("rescore sage r.jsonl");
  EXPECT_NE(text.find("r.jsonl: 1 of 2 records can't be read\n  r.jsonl, record 2: is not JSON"), std::string::npos)
      << text;
  EXPECT_NE(text.find("help: fix the records, or raise --max-unreadable (the allowed share, now 0.01)\nexit 4"),
            std::string::npos)
      << text;
  const json all = rescored("sage r.jsonl --max-unreadable 0.5");
  EXPECT_EQ(all.at("n"), 1);
  EXPECT_EQ(all.at("rescored").at("unreadable").at(0).at("record"), 2);
}

TEST_F(Rescore, AsksNoModel) {
  write("p.jsonl", R"({"id": "p", "player": "a", "scene": "b", "task": "c", "first_talk": "d"})");
  const auto text = told("rescore sage p.jsonl");
  EXPECT_NE(text.find("p.jsonl, record 1: record 'p' is to be played, but the setting 'simulator' is unset"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("exit 4"));
}

TEST_F(Rescore, FailsWhereNothingCouldBeScored) {
  write("r.jsonl", dialogue("cut", {40, 35}, true));
  const auto text = told("rescore sage r.jsonl --json");
  EXPECT_NE(text.find("\"mean_emotion\":{\"high\":null,\"low\":null,\"value\":null}"), std::string::npos) << text;
  EXPECT_NE(text.find("r.jsonl: none of its 1 records could be scored"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("exit 4"));
}

constexpr const char* pair = R"({"candidates": [{"model": "a"}, {"model": "b"}])";

TEST_F(Rescore, CountsWhatNobodyHasJudged) {
  write("p.jsonl", std::string(pair) + ", \"preference\": \"first\"}\n" + pair + "}\n" + pair + "}\n");
  const auto text = told("rescore pairwise p.jsonl");
  EXPECT_NE(text.find("\ncounted\n  to be judged by people: 2\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("exit 0")) << text;
}

TEST_F(Rescore, FailsWhereNobodyHasJudgedAnything) {
  write("p.jsonl", std::string(pair) + "}\n" + pair + "}\n");
  const auto text = told("rescore pairwise p.jsonl");
  EXPECT_NE(text.find("p.jsonl: none of its 2 records could be scored\n  help: see the reasons above\nexit 4"),
            std::string::npos)
      << text;
}

TEST_F(Rescore, RefusesMistakes) {
  write("r.jsonl", failed);
  EXPECT_NE(told("rescore sagge r.jsonl").find("did you mean 'sage'?"), std::string::npos);
  EXPECT_NE(told("rescore sage nowhere.jsonl").find("nowhere.jsonl: does not exist"), std::string::npos);
  EXPECT_TRUE(told("rescore sage nowhere.jsonl").ends_with("exit 4"));
  write("empty.jsonl", "");
  EXPECT_EQ(told("rescore sage empty.jsonl"), "compeer: error: empty.jsonl: is empty\nexit 4");
  EXPECT_NE(told("rescore sage r.jsonl --set ruonds=20").find("did you mean 'rounds'?"), std::string::npos);
  EXPECT_TRUE(told("rescore sage r.jsonl --max-unreadable 2").ends_with("exit 2"));
  EXPECT_TRUE(told("rescore sage").ends_with("exit 2"));
}

TEST_F(Rescore, RefusesStagesThatAreNoEvaluation) {
  write("r.jsonl", failed);
  EXPECT_EQ(told("rescore deduplicate r.jsonl"),
            "compeer: error: compeer rescore: stage 'deduplicate' is not an evaluation: it reports no findings\n  "
            "help: use an evaluation stage, such as sage, esc_eval or pairwise (docs/evaluations.md)\nexit 2");
}

// The published dialogues of twelve models, if available locally; expected are the numbers of the published
// leaderboard.
TEST_F(Rescore, AgreesWithThePublishedLeaderboard) {
  const auto folder = fs::path(COMPEER_SOURCE_DIR) / ".." / "shared" / "data" / "sage" / "trajectories";
  if (!fs::exists(folder)) GTEST_SKIP() << "the dialogues are not at hand: no folder " << folder;
  struct Line {
    const char* model;
    double mean;
    int success, failure;
    double rounds;
  };
  const Line lines[] = {{"gpt-4.1", 68.15, 35, 13, 9.48},          {"gpt-4.5", 62.70, 23, 15, 9.48},
                        {"claude3.7-think", 61.25, 23, 19, 9.36},  {"claude3.7", 54.80, 19, 24, 9.23},
                        {"deepseek-v3-0324", 54.40, 19, 23, 9.28}, {"deepseek-v3-1227", 37.55, 5, 39, 9.11},
                        {"openai-o4mini", 35.85, 10, 48, 8.41},    {"llama3.3-70b", 33.25, 7, 47, 8.59},
                        {"gemini2.0-flash", 32.92, 8, 45, 8.80},   {"gpt-4o-0808", 31.75, 7, 51, 8.54},
                        {"openai-o1", 28.95, 5, 51, 8.56},         {"qwen2.5-72b", 19.10, 4, 70, 7.41}};
  for (const Line& line : lines) {
    const auto file = folder / ("deepseek-v3-2024-1227_based_simulator__" + std::string(line.model) + "_result.jsonl");
    const json all = rescored("sage " + file.string() + " --set resamples=0");
    EXPECT_EQ(all.at("n"), 100) << line.model;
    EXPECT_EQ(all.at("invalid"), 0) << line.model;
    EXPECT_NEAR(all.at("mean_emotion").at("value"), line.mean, 1e-9) << line.model;
    EXPECT_EQ(all.at("success").at("count"), line.success) << line.model;
    EXPECT_EQ(all.at("failure").at("count"), line.failure) << line.model;
    EXPECT_NEAR(all.at("rounds").at("value"), line.rounds, 1e-9) << line.model;
  }
}

}  // namespace
}  // namespace compeer::app
