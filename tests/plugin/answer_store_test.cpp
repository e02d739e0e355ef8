#include "plugin/answer_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/error.h"
#include "base/files.h"

namespace compeer::plugin {

namespace {

namespace fs = std::filesystem;

ChatRequest asks(const std::string& text, int64_t max_tokens = 16) {
  return {.turns = {{"user", text}}, .temperature = 0.5, .max_tokens = max_tokens, .sample_index = 1};
}

class Answers : public testing::Test {
 protected:
  Answers() {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  std::unique_ptr<AnswerStore> open() {
    return std::make_unique<AnswerStore>(folder_, [this](const std::string& line) { log_ += line + "\n"; });
  }
  static ChatReply reply(const std::string& text) {
    return {.text = text, .failure = {}, .prompt_tokens = 12, .completion_tokens = 3, .served = "m-1", .cost = 0.5};
  }
  static ChatReply keep(AnswerStore& store, const std::string& question, const std::string& answer) {
    return store.keep({"who", asks(question)}, "chat/x 1.0.0", "m", asks(question), reply(answer));
  }
  static std::string found(AnswerStore& store, const std::string& question) {
    const auto one = store.find({"who", asks(question)}, asks(question));
    return one ? one->text : "nothing";
  }
  // Path of the only answer file.
  fs::path file() const {
    const auto all = answer_files(folder_);
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }
  static Error error_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return Error("", "");
  }

  fs::path folder_;
  std::string log_;
};

using AnAnswerStore = Answers;

TEST_F(AnAnswerStore, OutlivesTheProcess) {
  {
    auto store = open();
    EXPECT_EQ(found(*store, "q"), "nothing");
    keep(*store, "q", "line\n\u6211");
    EXPECT_EQ(found(*store, "q"), "line\n\u6211");
  }
  auto store = open();
  const auto one = store->find({"who", asks("q")}, asks("q"));
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(log_, "");
  EXPECT_EQ(one->text, "line\n\u6211");
  EXPECT_EQ(one->prompt_tokens, 12);
  EXPECT_EQ(one->completion_tokens, 3);
  EXPECT_EQ(one->served, "m-1");
  EXPECT_EQ(one->cost, 0.5);
}

TEST_F(AnAnswerStore, HoldsPromptAnswerServedModelTokensAndTime) {
  keep(*open(), "How are you?", "Fine.");
  const auto line = nlohmann::json::parse(read_file(file()));
  EXPECT_EQ(line.at("turns"), nlohmann::json({{{"role", "user"}, {"text", "How are you?"}}}));
  EXPECT_EQ(line.at("text"), "Fine.");
  EXPECT_EQ(line.at("model"), "m");
  EXPECT_EQ(line.at("served"), "m-1");
  EXPECT_EQ(line.at("prompt_tokens"), 12);
  EXPECT_EQ(line.at("time").get<std::string>().size(), std::string("2026-01-01T00:00:00Z").size());
}

TEST_F(AnAnswerStore, MakesNothingBeforeThereIsSomethingToKeep) {
  EXPECT_EQ(open()->size(), 0u);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(AnAnswerStore, SeesWhatOthersAddWhileTheyRun) {
  auto one = open(), other = open();
  keep(*one, "a", "1");
  EXPECT_EQ(found(*other, "a"), "1") << "read when it was first asked";
  keep(*one, "b", "2");
  EXPECT_EQ(found(*other, "b"), "nothing");
  other->refresh();
  EXPECT_EQ(found(*other, "b"), "2");
  keep(*other, "c", "3");
  EXPECT_EQ(answer_files(folder_).size(), 2u) << "never two that add to one file";
  one->refresh();
  EXPECT_EQ(found(*one, "c"), "3");
}

TEST_F(AnAnswerStore, GoesOnInTheFileOfAProcessThatEnded) {
  for (const char* question : {"a", "b", "c"}) keep(*open(), question, question);
  EXPECT_EQ(answer_files(folder_).size(), 1u);
  EXPECT_EQ(open()->size(), 3u);
}

TEST_F(AnAnswerStore, LetsOneAskWhatSeveralWantToKnow) {
  auto one = open(), other = open();
  const AnswerKey a("who", asks("a")), b("who", asks("b"));
  EXPECT_TRUE(one->claim(a));
  EXPECT_FALSE(other->claim(a));
  EXPECT_TRUE(other->claim(b));
  one->release(a);
  EXPECT_TRUE(other->claim(a));
  other.reset();
  EXPECT_TRUE(one->claim(a)) << "a claim ends with its process";
}

TEST_F(AnAnswerStore, LosesTheLineThatAKillCutAndNoOther) {
  keep(*open(), "a", "first");
  const auto one = read_file(file());
  keep(*open(), "b", "second");
  const auto two = read_file(file());
  for (size_t cut = one.size() + 1; cut < two.size(); cut += 7) {
    std::ofstream(file(), std::ios::trunc) << two.substr(0, cut);
    log_.clear();
    auto store = open();
    EXPECT_EQ(store->size(), 1u) << cut;
    keep(*store, "c", "third");
    EXPECT_EQ(log_, file().string() + ":2: this answer is incomplete, probably after a kill, and is ignored\n");
    EXPECT_EQ(open()->size(), 2u);
    EXPECT_TRUE(read_file(file()).starts_with(one));
  }
}

TEST_F(AnAnswerStore, KeepsWhatAKilledProcessHadKept) {
  for (int n = 0; n < 3; ++n) {
    const pid_t child = ::fork();
    if (child == 0) {
      keep(*open(), "question " + std::to_string(n), "answer");
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(open()->size(), static_cast<size_t>(n + 1));
  }
}

TEST_F(AnAnswerStore, LeavesOutADamagedLineAndNamesIt) {
  keep(*open(), "a", "first");
  const auto path = file();
  std::ofstream(path, std::ios::app) << "nonsense\n{\"key\":\"b\",\"text\":5}\n";
  keep(*open(), "c", "third");
  log_.clear();
  auto store = open();
  EXPECT_EQ(store->size(), 2u);
  EXPECT_EQ(log_, path.string() + ":2: this answer is damaged and is ignored\n" + path.string() +
                      ":3: this answer is damaged and is ignored\n");
  auto bytes = read_file(path);
  bytes.replace(bytes.find("\"prompt_tokens\":12"), 18, "\"prompt_tokens\":.5");
  std::ofstream(path, std::ios::trunc) << bytes;
  store = open();
  EXPECT_EQ(found(*store, "a"), "nothing");
  EXPECT_EQ(found(*store, "c"), "third");
  EXPECT_NE(log_.find("is damaged and is ignored"), std::string::npos);
}

TEST_F(AnAnswerStore, NamesTheFileThatCantBeWrittenAndGoesOnWhereItWas) {
  std::signal(SIGXFSZ, SIG_IGN);
  auto store = open();
  keep(*store, "a", "first");
  const auto size = fs::file_size(file());
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit full{size + 10, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &full);
  const auto error = error_of([&] { keep(*store, "b", "second"); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(error.where(), file().string());
  EXPECT_EQ(error.problem(), "an answer can't be written: File too large");
  EXPECT_EQ(error.exit(), Exit::failure);
  EXPECT_EQ(fs::file_size(file()), size) << "half a line was taken back";
  keep(*store, "c", "third");
  EXPECT_EQ(open()->size(), 2u);
  EXPECT_EQ(log_, "");
}

TEST_F(AnAnswerStore, CantStandWhereAFileIsAndSaysSoBeforeAnythingIsAsked) {
  std::ofstream(folder_) << "x";
  EXPECT_EQ(error_of([&] { open()->claim({"who", asks("a")}); }).exit(), Exit::failure);
}

TEST_F(AnAnswerStore, ReturnsWhatItWillFind) {
  auto store = open();
  EXPECT_EQ(keep(*store, "q", "a\xff").text, "a\ufffd");
  EXPECT_EQ(found(*store, "q"), "a\ufffd");
}

TEST_F(AnAnswerStore, HasAnAnswerThatEndedByItselfForHigherLimitsToo) {
  auto store = open();
  const auto at = [&](int64_t limit) { return store->find({"who", asks("q", limit)}, asks("q", limit)).has_value(); };
  store->keep({"who", asks("q", 8)}, "w", "m", asks("q", 8), reply("short"));
  EXPECT_TRUE(at(8));
  EXPECT_TRUE(at(512));
  EXPECT_TRUE(at(3)) << "it had three tokens";
  EXPECT_FALSE(at(2));
  auto cut = reply("and so");
  cut.finished = false;
  const auto long_one = asks("long", 8);
  store->keep({"who", long_one}, "w", "m", long_one, cut);
  EXPECT_TRUE(store->find({"who", long_one}, long_one).has_value());
  EXPECT_FALSE(store->find({"who", asks("long", 16)}, asks("long", 16)).has_value()) << "more may come";
}

TEST_F(AnAnswerStore, MarksWhatCouldNotBeReadOnce) {
  {
    auto store = open();
    keep(*store, "q", "keep or drop?");
    store->mark_malformed({"who", asks("q")}, asks("q"));
    store->mark_malformed({"who", asks("other")}, asks("other"));
  }
  const auto before = read_file(file());
  EXPECT_TRUE(before.ends_with(",\"cost\":0.5}\n{\"key\":\"" + AnswerKey("who", asks("q")).complete +
                               "\",\"malformed\":true}\n"))
      << before;
  open()->mark_malformed({"who", asks("q")}, asks("q"));
  EXPECT_EQ(read_file(file()), before);
}

TEST(AnAnswersKey, TellsEverythingApartThatMayChangeAnAnswer) {
  const auto base = asks("a", 5);
  std::vector<ChatRequest> others(7, base);
  others[0].turns[0].text = "b";
  others[1].turns[0].role = "system";
  others[2].turns = {{"user", "a"}, {"user", "a"}};
  others[3].temperature = 0.25;
  others[4].choices = {"a", "b"};
  others[5].sample_index = 2;
  others[6].turns = {{"user\",\"a", ""}};
  for (const auto& other : others) EXPECT_NE(AnswerKey("w", other).complete, AnswerKey("w", base).complete);
  EXPECT_NE(AnswerKey("v", base).complete, AnswerKey("w", base).complete);
  EXPECT_EQ(AnswerKey("w", asks("a", 6)).complete, AnswerKey("w", base).complete);
  EXPECT_NE(AnswerKey("w", asks("a", 6)).truncated, AnswerKey("w", base).truncated);
  // printf '["w",[["user","a"]],0.5,1]' | sha256sum
  EXPECT_EQ(AnswerKey("w", base).complete, "509cd77bd0144c87f297b254e5b8170bbb79ec92c4dbdd8e5d53312a824b9880")
      << "pinned: a change would make every run ask again";
}

TEST(AnAnswersKey, IsThatOfAPicturesBytes) {
  const auto file = fs::path(testing::TempDir()) / "picture.png";
  auto request = asks("a");
  request.turns[0].pictures = {file.string()};
  std::ofstream(file) << "one";
  const AnswerKey one("w", request);
  std::ofstream(file) << "two";
  EXPECT_NE(AnswerKey("w", request).complete, one.complete);
}

}  // namespace

}  // namespace compeer::plugin
