#include <algorithm>
#include <fstream>

#include "asker.h"
#include "base/error.h"
#include "compeer/language_model.h"

namespace compeer {
namespace {

// A language model that repeats its input, and counts the tokens it had to process.
class Echo : public LanguageModel {
 public:
  struct Held : Conversation {
    explicit Held(std::string what) : past(std::move(what)) {}
    std::unique_ptr<Conversation> copy() const override { return std::make_unique<Held>(past); }
    std::string past;
  };

  std::unique_ptr<Conversation> begin(const std::vector<Turn>& turns) override {
    ++begun;
    std::string past;
    for (const auto& turn : turns) {
      past += turn.role + ":" + turn.text;
      for (const auto& picture : turn.pictures) past += "[" + picture + "]";
      past += "|";
    }
    return std::make_unique<Held>(past);
  }
  std::vector<Completion> answer(const std::vector<Conversation*>& conversations, const std::vector<std::string>& texts,
                                 const SamplingParams& sampling) override {
    together.push_back(conversations.size());
    if (std::count_if(texts.begin(), texts.end(), [](const auto& text) { return text.size() > room; }) > 0)
      throw Error("language_model", "is too long", "", Exit::data);
    std::vector<Completion> all;
    for (size_t i = 0; i < conversations.size(); ++i) {
      all.push_back(
          {.text = dynamic_cast<Held&>(*conversations[i]).past + texts[i] + "/" + std::to_string(sampling.sample_index),
           .tokens = sampling.max_tokens,
           .finished = sampling.temperature == 0});
    }
    return all;
  }
  std::vector<std::vector<ScoredAnswer>> ask(const std::vector<Conversation*>&,
                                             const std::vector<std::vector<Question>>&, const SamplingParams&,
                                             bool) override {
    return {};
  }
  std::vector<std::vector<float>> score(const std::vector<Conversation*>&, const std::vector<std::string>&) override {
    return {};
  }

  static constexpr size_t room = 100;
  int begun = 0;
  std::vector<size_t> together;
};

class Local : public testing::Test {
 protected:
  Local() {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "config.json") << "{}";
    asker_.services.language_model = [this](const std::string& directory) -> LanguageModel& {
      EXPECT_EQ(directory, folder_.string());
      return echo_;
    };
    asker_.open();
  }
  nlohmann::json settings(int together) const {
    return {{"plugin", "local"}, {"path", folder_.string()}, {"concurrency", together}};
  }
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "local_model";
  Echo echo_;
  Asker asker_;
};

TEST_F(Local, BeginsWithAllTurnsButTheLast) {
  const ChatRequest request{.turns = {{"system", "s"}, {"user", "a"}, {"assistant", "b"}, {"user", "c"}},
                            .temperature = 0.5,
                            .max_tokens = 9,
                            .sample_index = 4};
  const auto reply = asker_.ask(settings(16), std::vector{request})[0];
  EXPECT_EQ(reply.text, "system:s|user:a|assistant:b|c/4");
  EXPECT_EQ(reply.completion_tokens, 9);
  EXPECT_FALSE(reply.finished);
  EXPECT_EQ(asker_.ask(settings(16), "hello").text, "hello/0") << "no turn before";
}

TEST_F(Local, SaysWhichConversationIsTooLongAndAnswersTheOthers) {
  const std::vector<ChatRequest> requests{
      {.turns = {{"user", "a"}}}, {.turns = {{"user", std::string(Echo::room + 1, 'b')}}}, {.turns = {{"user", "c"}}}};
  const auto replies = asker_.ask(settings(16), requests);
  EXPECT_EQ(replies[0].text, "a/0");
  EXPECT_EQ(replies[0].failure, "");
  EXPECT_EQ(replies[1].text, "");
  EXPECT_EQ(replies[1].failure, "is too long");
  EXPECT_EQ(replies[2].text, "c/0");
}

TEST_F(Local, ShowsPictures) {
  const ChatRequest last{.turns = {{"user", "a"}, {"assistant", "b"}, {"user", "c", {"sad.png"}}}};
  EXPECT_EQ(asker_.ask(settings(16), std::vector{last})[0].text, "user:a|assistant:b|user:c[sad.png]|/0");
  const ChatRequest other{.turns = {{"user", "a", {"sad.png"}}, {"assistant", "b"}, {"user", "c"}}};
  EXPECT_EQ(asker_.ask(settings(16), std::vector{other})[0].text, "user:a[sad.png]|assistant:b|c/0");
}

TEST_F(Local, ReadsASharedPastOnceAndKeepsTogetherWhatIsDrawnAlike) {
  std::vector<ChatRequest> requests;
  for (uint32_t i = 0; i < 10; ++i) {
    requests.push_back(
        {.turns = {{"system", i % 2 ? "odd" : "even"}, {"user", std::to_string(i)}}, .sample_index = i / 8});
  }
  const auto replies = asker_.ask(settings(4), requests);
  for (uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(replies[i].text,
              std::string("system:") + (i % 2 ? "odd|" : "even|") + std::to_string(i) + (i < 8 ? "/0" : "/1"));
  }
  EXPECT_EQ(echo_.together, (std::vector<size_t>{4, 4, 2})) << "the last two are another draw";
  EXPECT_EQ(echo_.begun, 4) << "even, odd, and both again for the other draw";
}

TEST_F(Local, StopsBetweenPortions) {
  asker_.services.cancelled = [&] { return asker_.counts.asked > 0; };
  asker_.open();
  const auto error =
      error_of([&] { asker_.chat(settings(2)).answer(Asker::questions(6), [](size_t, const ChatReply&) {}); });
  EXPECT_EQ(error.exit(), Exit::preempted);
  EXPECT_EQ(echo_.together, std::vector<size_t>{2});
}

TEST_F(Local, IsAskedAnewWhenItsFilesChange) {
  const auto memory_folder = std::filesystem::path(testing::TempDir()) / "local_memory";
  std::filesystem::remove_all(memory_folder);
  plugin::AnswerStore store(memory_folder, {});
  asker_.services.answers = &store;
  for (const char* weights : {"1", "1", "2"}) {
    std::ofstream(folder_ / "model.safetensors") << weights;
    asker_.open();
    asker_.ask(settings(2), "q");
  }
  EXPECT_EQ(echo_.together.size(), 2u);
  asker_.open();
}

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
  for (uint32_t draw = 0; draw < 3; ++draw) requests[draw].sample_index = draw;
  const auto replies = Asker().ask(given, requests);
  EXPECT_EQ(replies[0].text, "a 0");
  EXPECT_EQ(replies[1].text, "b 11");
  EXPECT_EQ(replies[2].text, "a 2");
}

TEST_F(Scripted, SaysThatNoLineFits) {
  const auto given = settings(R"({"user": "a", "answer": "b"})");
  EXPECT_EQ(Asker().ask(given, "c").failure, "no line of " + file_.string() + " matches this question");
}

TEST_F(Scripted, NamesTheLineThatIsWrong) {
  EXPECT_TRUE(refused("{\"answer\": \"a\"}\n{\"answer\": ").starts_with("table.jsonl:2: [json.exception.parse_error"));
  EXPECT_EQ(refused(R"({"usr": "a", "answer": "b"})"),
            "table.jsonl:1: has the unknown key 'usr': did you mean 'user'? known: user, contains, answer, failure");
  EXPECT_EQ(refused(R"({"user": "a"})"), "table.jsonl:1: must have either 'answer' or 'failure'");
  EXPECT_EQ(refused(R"({"answer": []})"), "table.jsonl:1: 'answer' is neither a text nor a list of texts");
  EXPECT_EQ(refused("[1]"), "table.jsonl:1: is not a JSON object");
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
