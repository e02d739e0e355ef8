#include <fstream>

#include "asker.h"

namespace compeer {

namespace {

class Scripted : public testing::Test {
 protected:
  nlohmann::json settings(const std::string& lines) const {
    std::ofstream(file_) << lines;
    return {{"plugin", "scripted"}, {"table", file_.string()}};
  }
  std::string refused(const std::string& lines) const {
    const auto given = settings(lines);
    const auto error = error_of([&] { Asker().chat(given); });
    EXPECT_EQ(error.exit(), Exit::data);
    const auto at = error.problem().find("table.jsonl");
    return at == std::string::npos ? error.problem() : error.problem().substr(at);
  }
  std::filesystem::path file_ = std::filesystem::path(testing::TempDir()) / "table.jsonl";
};

TEST_F(Scripted, TakesTheExactLineFirstThenTheOthersInTheirOrder) {
  const auto given = settings(R"({"contains": "sad", "answer": "I see."}
{"contains": "very sad", "answer": "never reached"}

{"user": "I am sad.", "answer": "Tell me more."}
{"contains": "rude", "failure": "refused"}
{"answer": "Go on."}
)");
  Asker asker;
  EXPECT_EQ(asker.ask(given, "I am sad.").text, "Tell me more.");
  EXPECT_EQ(asker.ask(given, "I am very sad.").text, "I see.");
  EXPECT_EQ(asker.ask(given, "Hello").text, "Go on.");
  EXPECT_EQ(asker.ask(given, "be rude").failure, "refused");
  EXPECT_EQ(asker.counts.failed, 1);
}

TEST_F(Scripted, GivesAnotherAnswerToAnotherDraw) {
  const auto given = settings(R"({"answer": ["a {n}", "b {n}{n}"]})");
  auto requests = Asker::questions({"q", "q", "q"});
  for (uint32_t draw = 0; draw < 3; ++draw) requests[draw].draw = draw;
  const auto replies = Asker().ask(given, requests);
  EXPECT_EQ(replies[0].text, "a 0");
  EXPECT_EQ(replies[1].text, "b 11");
  EXPECT_EQ(replies[2].text, "a 2");
}

TEST_F(Scripted, SaysThatNoLineFits) {
  const auto given = settings(R"({"user": "a", "answer": "b"})");
  EXPECT_EQ(Asker().ask(given, "c").failure, "no line of " + file_.string() + " is for this question");
}

TEST_F(Scripted, NamesTheLineThatIsWrong) {
  EXPECT_TRUE(refused("{\"answer\": \"a\"}\n{\"answer\": ").starts_with("table.jsonl:2: [json.exception.parse_error"));
  EXPECT_EQ(refused(R"({"usr": "a", "answer": "b"})"),
            "table.jsonl:1: has a key 'usr': did you mean 'user'? known: user, contains, answer, failure");
  EXPECT_EQ(refused(R"({"user": "a"})"), "table.jsonl:1: has neither 'answer' nor 'failure', or both");
  EXPECT_EQ(refused(R"({"answer": []})"), "table.jsonl:1: 'answer' is neither a text nor a list of texts");
  EXPECT_EQ(refused("[1]"), "table.jsonl:1: is no object");
}

TEST_F(Scripted, IsAskedAnewWhenItsTableChanges) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "scripted_memory";
  std::filesystem::remove_all(folder);
  plugin::AnswerStore store(folder, {});
  for (const char* answer : {"one", "one", "two"}) {
    Asker asker;
    asker.services.answers = &store;
    EXPECT_EQ(asker.ask(settings("{\"answer\": \"" + std::string(answer) + "\"}"), "q").text, answer);
    asker.open();
  }
  EXPECT_EQ(store.size(), 2u);
}

}  // namespace

}  // namespace compeer
