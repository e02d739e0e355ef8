#include "plugin/cached_chat.h"

#include <future>
#include <thread>

#include "actors.h"
#include "plugin/guard.h"

namespace compeer::plugin {

namespace {

using nlohmann::json;

class Remembering : public testing::Test {
 protected:
  Remembering() {
    folder_ = std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    shared_ = services("chatter");
    shared_.log = [this](const std::string&, const std::string& line) { log_ += line + "\n"; };
    shared_.chat_counts = &counts_;
    remember();
  }

  // Starts over with a new store on the same folder, as a new process does.
  void remember() {
    store_.reset();
    store_ = std::make_unique<AnswerStore>(folder_, AnswerStore::Log());
    shared_.answers = store_.get();
    host_ = std::make_unique<RunHost>(library("actor", "rewards", "actor"), shared_);
  }

  std::vector<std::string> ask(const std::vector<std::string>& texts, json settings = json::object()) {
    settings["plugin"] = "chatter";
    std::vector<ChatRequest> requests;
    for (const auto& text : texts) requests.push_back({.turns = {{"user", text}}});
    std::vector<std::string> all(texts.size());
    host_->chat(Settings(settings)).answer(requests, [&](size_t i, const ChatReply& reply) {
      all[i] = reply.failure.empty() ? reply.text : "failed: " + reply.failure;
    });
    return all;
  }

  std::filesystem::path folder_;
  std::string log_;
  ChatCounts counts_;
  Services shared_;
  std::unique_ptr<AnswerStore> store_;
  std::unique_ptr<RunHost> host_;
};

using ACachedChat = Remembering;

TEST_F(ACachedChat, IsAskedOnlyForWhatIsNotKnown) {
  EXPECT_EQ(ask({"a", "b"}), (std::vector<std::string>{"re: a", "re: b"}));
  EXPECT_EQ(ask({"b", "c", "a"}), (std::vector<std::string>{"re: b", "re: c", "re: a"}));
  EXPECT_EQ(log_, "asked 2\nasked 1\n");
  remember();
  ask({"a", "b", "c"});
  EXPECT_EQ(log_, "asked 2\nasked 1\n") << "not even after a restart";
  EXPECT_EQ(counts_.asked, 3);
  EXPECT_EQ(counts_.known, 5);
  EXPECT_EQ(counts_.prompt_tokens, 15) << "what was known cost nothing";
  EXPECT_EQ(counts_.completion_tokens, 6);
}

TEST_F(ACachedChat, IsAskedEqualRequestsOnce) {
  EXPECT_EQ(ask({"a", "a", "b", "a"}), (std::vector<std::string>{"re: a", "re: a", "re: b", "re: a"}));
  EXPECT_EQ(log_, "asked 2\n");
  EXPECT_EQ(counts_.known, 2);
}

TEST_F(ACachedChat, IsAskedAgainAfterAFailureOrWithOtherSettings) {
  EXPECT_EQ(ask({"a"}, {{"act", "fail"}}), std::vector<std::string>{"failed: not today"});
  EXPECT_EQ(counts_.failed, 1);
  EXPECT_EQ(counts_.failures.take(), std::vector<std::string>{"not today"});
  ask({"a"}, {{"act", "fail"}});
  ask({"a"});
  ask({"a"}, {{"wait", 2}});
  EXPECT_EQ(log_, "asked 1\nchatter: no answer to a request: not today\nasked 1\nasked 1\nasked 1\n")
      << "a reason is told once";
}

TEST_F(ACachedChat, SaysTheSameTheFirstTimeAsLater) {
  const auto first = ask({"a"}, {{"act", "bytes"}});
  EXPECT_EQ(first, std::vector<std::string>{"re: a\ufffd"});
  remember();
  EXPECT_EQ(ask({"a"}, {{"act", "bytes"}}), first);
}

TEST_F(ACachedChat, NeedsNoStore) {
  shared_.answers = nullptr;
  shared_.chat_counts = nullptr;
  host_ = std::make_unique<RunHost>(library("actor", "rewards", "actor"), shared_);
  ask({"a", "a"});
  ask({"a"});
  EXPECT_EQ(log_, "asked 1\nasked 1\n");
}

TEST_F(ACachedChat, IsKnownByTheSeedUnlessItSaysWhatItsAnswersDependOn) {
  ask({"a"});
  shared_.seed = 2;
  remember();
  ask({"a"});
  EXPECT_EQ(log_, "asked 1\nasked 1\n") << "its random numbers are others";
}

TEST_F(ACachedChat, IsKnownByTheArithmeticItComputesIn) {
  ask({"a"});
  for (const char* compute : {"bfloat16", "bfloat16", "float32"}) {
    shared_.compute = compute;
    remember();
    ask({"a"});
  }
  EXPECT_EQ(log_, "asked 1\nasked 1\n");
}

TEST_F(ACachedChat, IsNotStoredIfItsAnswersAreFree) {
  ask({"a", "a"}, {{"act", "free"}});
  ask({"a"}, {{"act", "free"}});
  EXPECT_EQ(log_, "asked 1\nasked 1\n");
  EXPECT_EQ(store_->size(), 0u);
}

TEST_F(ACachedChat, IsToldOfBeforeItIsAskedAndOfEachReplyThatIsPaid) {
  shared_.before_asking = [&](const Announcement& one) {
    log_ += one.model + ": " + std::to_string(one.unknown) + " of " + std::to_string(one.requests) + ", " +
            std::to_string(one.tokens) + " tokens\n";
  };
  shared_.on_reply = [&](const std::string& model, const ChatReply& reply) {
    log_ += model + " " + std::to_string(reply.prompt_tokens) + "\n";
  };
  ask({"a"});
  ask({"a", "b", "b", "eight letters, that"});  // 1 and 5 tokens
  EXPECT_EQ(
      log_,
      "chatter: 1 of 1, 1 tokens\nasked 1\nchatter 5\nchatter: 2 of 4, 6 tokens\nasked 2\nchatter 5\nchatter 5\n");
}

TEST_F(ACachedChat, LeavesToOthersWhatTheyAreAskingAndAsksWhatTheyDoNot) {
  // Another process has claimed the question "a", fails, and releases it after this one has asked the others.
  AnswerStore other(folder_, AnswerStore::Log());
  const std::string who = R"(["chat/chatter 1.0.0","chatter",[{"act":"well","plugin":"chatter","wait":1},1]])";
  const AnswerKey a(who, {.turns = {{"user", "a"}}});
  ASSERT_TRUE(other.claim(a));
  shared_.on_reply = [&](const std::string&, const ChatReply& reply) {
    log_ += reply.text + "\n";
    if (reply.text == "re: c") other.release(a);
  };
  EXPECT_EQ(ask({"a", "b", "c"}), (std::vector<std::string>{"re: a", "re: b", "re: c"}));
  EXPECT_EQ(log_, "asked 2\nre: c\nre: b\nasked 1\nre: a\n");
}

TEST_F(ACachedChat, CountsAndMarksWhatCouldNotBeRead) {
  ask({"a", "b"});
  auto& chat = host_->chat(Settings(json{{"plugin", "chatter"}}));
  chat.unreadable({.turns = {{"user", "a"}}}, "re: a", true);
  chat.unreadable({.turns = {{"user", "b"}}}, "re: b", false);
  EXPECT_EQ(counts_.retried, 1);
  EXPECT_EQ(counts_.malformed, 1);
  EXPECT_EQ(counts_.unreadable.take(), std::vector<std::string>{"'re: b'"});
  EXPECT_EQ(counts_.unreadable.take(), std::vector<std::string>{});
}

TEST_F(ACachedChat, SaysWhatIsWrongWithAnAnswer) {
  auto& chat = host_->chat(Settings(json{{"plugin", "chatter"}}));
  const std::string who = R"(["chat/chatter 1.0.0","chatter",[{"act":"well","plugin":"chatter","wait":1},1]])";
  const auto unreadable = [&](const std::string& asked, const std::string& answer, bool finished) {
    const ChatRequest request{.turns = {{"user", asked}}, .max_tokens = 16};
    store_->keep({who, request}, "chat/chatter 1.0.0", "chatter", request,
                 {.text = answer, .finished = finished, .failure = ""});
    chat.unreadable(request, answer, false);
  };
  unreadable("a", " \n", true);
  unreadable("b", "<think>Let me\nsee", false);
  unreadable("c", "", false);
  EXPECT_EQ(counts_.unreadable.take(),
            (std::vector<std::string>{"an empty answer", "'<think>Let me\\x0asee' (cut off at max_tokens = 16)",
                                      "no text (cut off at max_tokens = 16)"}));
}

TEST_F(ACachedChat, IsBlamedForWhatItDoes) {
  const auto problem = [&](const char* act) {
    const auto error = error_of([&] { ask({"a", "b"}, {{"act", act}}); });
    EXPECT_TRUE(error.where().starts_with("chat/chatter 1.0.0 (")) << error.where();
    EXPECT_EQ(error.exit(), Exit::plugin);
    return error.problem();
  };
  EXPECT_EQ(problem("throw"), "no key");
  EXPECT_EQ(problem("leave out"), "did not answer request 0");
  EXPECT_EQ(problem("leave in the line"), "returned before it had taken all requests");
  EXPECT_EQ(problem("make up"), "answered request 7, which it has not taken");
  EXPECT_EQ(problem("twice"), "answered request 1 twice");
  EXPECT_EQ(problem("elsewhere"), "replied on another thread");
}

TEST_F(ACachedChat, IsNotBlamedForWhatOthersDo) {
  for (const char* act : {"well", "wait"}) {
    const auto error = error_of([&] {
      host_->chat(Settings(json{{"plugin", "chatter"}, {"act", act}}))
          .answer({{.turns = {{"user", "x"}}}}, [](size_t, const ChatReply&) { throw Error("disk", "is full"); });
    });
    EXPECT_EQ(error.where(), "disk") << act;
  }
}

TEST_F(ACachedChat, StopsWhereNothingCanBeStored) {
  for (const char* act : {"well", "wait"}) {
    shared_.on_reply = [](const std::string&, const ChatReply&) { throw Error("disk", "is full"); };
    EXPECT_EQ(error_of([&] { ask({act, "b"}, {{"act", act}}); }).where(), "disk") << act;
  }
}

TEST_F(ACachedChat, IsAskedBySeveralThreadsAtOnceIfItWaits) {
  const json settings{{"act", "until two ask"}};
  host_->chat(Settings(json{{"plugin", "chatter"}, {"act", "until two ask"}}));
  std::vector<std::string> other;
  std::thread another([&] { other = ask({"b"}, settings); });
  EXPECT_EQ(ask({"a"}, settings), std::vector<std::string>{"re: a"});
  another.join();
  EXPECT_EQ(other, std::vector<std::string>{"re: b"});
}

TEST_F(ACachedChat, IsAskedByOneOfTwoThreadsWhatBothWantToKnow) {
  const json settings{{"act", "wait"}};
  host_->chat(Settings(json{{"plugin", "chatter"}, {"act", "wait"}}));
  std::vector<std::string> other;
  std::thread another([&] { other = ask({"a"}, settings); });
  EXPECT_EQ(ask({"a"}, settings), std::vector<std::string>{"re: a"});
  another.join();
  EXPECT_EQ(other, std::vector<std::string>{"re: a"});
  EXPECT_EQ(log_, "asked 1\n");
}

// A plugin that is called by several threads, one at a time.
TEST(AVisit, IsInterruptedWhileAChatModelIsAwaited) {
  std::mutex door;
  PluginLock visit(door);
  EXPECT_FALSE(std::async([&] { return door.try_lock(); }).get());
  PluginLock::release_during([&] { std::async([&] { const PluginLock another(door); }).get(); });
  EXPECT_FALSE(std::async([&] { return door.try_lock(); }).get());
  EXPECT_THROW(PluginLock::release_during([] { throw Error("x", "y"); }), Error);
  EXPECT_FALSE(std::async([&] { return door.try_lock(); }).get());
}

TEST_F(ACachedChat, WantsTheLastTurnToBeTheUsers) {
  auto& chat = host_->chat(Settings(json{{"plugin", "chatter"}}));
  const auto ignore = [](size_t, const ChatReply&) {};
  EXPECT_EQ(error_of([&] { chat.answer({{.turns = {}}}, ignore); }).problem(), "does not end with a turn of the user");
  EXPECT_EQ(error_of([&] { chat.answer({{.turns = {{"assistant", "x"}}}}, ignore); }).where(), "a chat request");
}

TEST_F(ACachedChat, TellsOfAStop) {
  bool stop = false;
  shared_.cancelled = [&] { return stop; };
  EXPECT_EQ(error_of([&] { ask({"a"}, {{"act", "leave out"}}); }).exit(), Exit::plugin);
  stop = true;
  const auto error = error_of([&] { ask({"a"}, {{"act", "leave out"}}); });
  EXPECT_EQ(error.exit(), Exit::preempted);
  EXPECT_EQ(error.problem(), "interrupted before all requests were answered");
}

}  // namespace

}  // namespace compeer::plugin
