#include "judging/chat_judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace compeer::judging {
namespace {

using empathy::Preference;

/// A chat model that answers by a function, and records the requests.
struct Answerer : Chat {
  using Answer = std::function<ChatReply(const ChatRequest& request)>;
  explicit Answerer(Answer f) : answer_of(std::move(f)) {}

  void answer(const std::vector<ChatRequest>& requests, const OnReply& arrived) override {
    together.push_back(requests.size());
    for (size_t i = requests.size(); i-- > 0;) {  // reversed, because judges must not rely on the order
      asked.push_back(requests[i]);
      arrived(i, answer_of(requests[i]));
    }
  }
  std::string model() const override { return "answerer"; }
  void unreadable(const ChatRequest&, const std::string& text, bool again) override {
    unread.push_back(text + (again ? ", again" : ""));
  }

  Answer answer_of;
  std::vector<ChatRequest> asked;
  std::vector<size_t> together;
  std::vector<std::string> unread;
};

ChatReply says(const std::string& text) { return {.text = text, .failure = {}}; }

// Judges all steps as right and the second reply as better.
ChatReply yes(const ChatRequest& request) { return says(request.choices.size() == 2 ? "**True**" : "Answer: second"); }

JudgeFormat bare() {
  return JudgeFormat(Settings({{"prompts", nullptr},
                               {"step_words", {"True", "False"}},
                               {"preference_words", {"first", "second", "both good", "neither"}}}));
}

JudgedGroup group(size_t cases = 1) {
  const JudgeInput one{StepTexts{"early", "sadness", "question"}, InterpretedReply{"why?"}};
  return {{{"user", "i am sad"}}, {"tell me more"}, std::vector<JudgeInput>(cases, one), {}};
}

std::vector<std::vector<Verdicts>> ask(Answerer& chat, const std::vector<JudgedGroup>& groups, Scope scope = {},
                                       JudgeDecoding hearing = {}) {
  return ChatJudge(chat, Questions(bare(), scope, hearing)).judge(groups);
}

std::string text(const ChatRequest& request) {
  std::string all;
  for (const Turn& turn : request.turns) all += turn.role + ": " + turn.text + "\n";
  return all;
}

TEST(ChatJudge, AsksOneQuestionAfterTheOtherOfAllCompletionsAtOnce) {
  Answerer chat(yes);
  const auto opinions = ask(chat, {group(2), group(1)});
  EXPECT_EQ(chat.together, (std::vector<size_t>{3, 3, 3, 3}));
  ASSERT_EQ(opinions.size(), 2u);
  EXPECT_EQ(opinions[0].size(), 2u);
  for (const auto& of_group : opinions) {
    for (const Verdicts& opinion : of_group) {
      for (const auto& step : opinion.steps) EXPECT_EQ(step, 1.0);
      EXPECT_EQ(opinion.preference, Preference::second);
      EXPECT_EQ(opinion.reply, 1.0);
      EXPECT_EQ(opinion.unreadable, 0);
    }
  }
  EXPECT_EQ(text(chat.asked.back()),
            "user: i am sad\nuser: <history>early</history>\nassistant: True\nuser: <emotion>sadness</emotion>\n"
            "assistant: True\nuser: <strategy>question</strategy>\nassistant: True\nuser: tell me more\nwhy?\n");
  EXPECT_EQ(chat.asked.back().choices.size(), 4u);
}

// So an endpoint with prefix caching computes each prefix once.
TEST(ChatJudge, BeginsEachQuestionAsTheLastOneEnded) {
  Answerer chat(yes);
  ask(chat, {group()});
  for (size_t i = 1; i < chat.asked.size(); ++i)
    EXPECT_TRUE(text(chat.asked[i]).starts_with(text(chat.asked[i - 1]))) << text(chat.asked[i]);
}

TEST(ChatJudge, AsksAheadWhateverMayCome) {
  // Steps wrong, right, wrong; then "both good".
  const auto wavering = [](const ChatRequest& request) {
    return request.choices.size() == 2 ? says(request.turns.size() == 4 ? "True" : "False") : says("both good");
  };
  Answerer ahead(wavering), usual(wavering);
  const auto opinions = ask(ahead, {group(2)}, {}, {.speculate = true}), expected = ask(usual, {group(2)});
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(opinions[0][i].steps, expected[0][i].steps);
    EXPECT_EQ(opinions[0][i].preference, expected[0][i].preference);
  }
  // 1 + 2 + 4 + 8 questions per completion; the later questions were all asked already, so the host has their answers.
  EXPECT_EQ(ahead.together, (std::vector<size_t>{30, 2, 2, 2, 2}));
  std::set<std::string> asked;
  for (size_t i = 0; i < 30; ++i) asked.insert(text(ahead.asked[i]));
  EXPECT_EQ(asked.size(), 15u);
  for (size_t i = 30; i < ahead.asked.size(); ++i) EXPECT_TRUE(asked.contains(text(ahead.asked[i])));
}

TEST(ChatJudge, ApartAsksAllAtOnce) {
  Answerer chat(yes);
  const auto opinion = ask(chat, {group()}, {.separate = true})[0][0];
  EXPECT_EQ(chat.together, std::vector<size_t>{4});
  EXPECT_EQ(opinion.steps[2], 1.0);
  EXPECT_EQ(opinion.preference, Preference::second);
}

TEST(ChatJudge, AsksOnceMoreForWhatItCantRead) {
  Answerer chat([](const ChatRequest& request) {
    return request.sample_index == 0 && request.choices.size() == 2 ? says("hm") : yes(request);
  });
  const auto opinion = ask(chat, {group()})[0][0];
  EXPECT_EQ(opinion.steps[0], 1.0);
  EXPECT_EQ(opinion.unreadable, 0);
  EXPECT_EQ(chat.unread, (std::vector<std::string>{"hm, again", "hm, again", "hm, again"}));
}

TEST(ChatJudge, AsksNothingBehindAQuestionWithoutAnAnswer) {
  Answerer chat([](const ChatRequest& request) {
    return request.turns.back().text.starts_with("<emotion>") ? says("perhaps") : yes(request);
  });
  const auto opinion = ask(chat, {group()})[0][0];
  EXPECT_EQ(opinion.steps[0], 1.0);
  EXPECT_FALSE(opinion.steps[1] || opinion.steps[2] || opinion.preference);
  EXPECT_EQ(opinion.asked, 2);
  EXPECT_EQ(opinion.unreadable, 1);
  EXPECT_EQ(opinion.first_unreadable, "perhaps");
  EXPECT_EQ(chat.unread, (std::vector<std::string>{"perhaps, again", "perhaps"}));
}

TEST(ChatJudge, TakesAFailureForNoAnswerAndDoesNotAskAgain) {
  Answerer chat([](const ChatRequest&) { return ChatReply{.text = "", .failure = "timed out"}; });
  const auto opinion = ask(chat, {group()})[0][0];
  EXPECT_EQ(opinion.asked, 0);
  EXPECT_EQ(opinion.unreadable, 0) << "nothing was there to read";
  EXPECT_EQ(chat.together, std::vector<size_t>{1});
  EXPECT_TRUE(chat.unread.empty()) << "nobody said anything";
}

TEST(ChatJudge, TakesTheMajorityOfVotesThatAreAskedAtOnce) {
  Answerer chat([](const ChatRequest& request) {
    return request.choices.size() == 4 ? yes(request) : says(request.sample_index / 2 == 1 ? "True" : "False");
  });
  const auto opinion = ask(chat, {group()}, {}, {.votes = 3, .temperature = 0.5})[0][0];
  EXPECT_EQ(opinion.steps[0], -1.0);
  EXPECT_EQ(opinion.preference, Preference::second);
  EXPECT_EQ(chat.together, (std::vector<size_t>{3, 3, 3, 3}));
  EXPECT_EQ(chat.asked[0].temperature, 0.5);
}

TEST(ChatJudge, ByLikelihoodWantsEveryChoiceWeighed) {
  Answerer chat([](const ChatRequest& request) {
    auto reply = yes(request);
    reply.log_probs = request.choices.size() == 2 ? std::vector{std::log(.6), std::log(.2)}
                                                  : std::vector{std::log(.1), std::log(.2), std::log(.3), std::log(.4)};
    return reply;
  });
  const auto opinion = ask(chat, {group()}, {}, {.by_likelihood = true})[0][0];
  EXPECT_TRUE(chat.asked[0].want_log_probs);
  EXPECT_NEAR(*opinion.steps[0], .5, 1e-12) << "(.6 - .2) / .8";
  EXPECT_NEAR(*opinion.reply, 0, 1e-12);
  EXPECT_EQ(opinion.preference, Preference::neither);
  Answerer silent(yes);
  EXPECT_EQ(ask(silent, {group()}, {}, {.by_likelihood = true})[0][0].unreadable, 1) << "none weighed";
}

TEST(ChatJudge, AsksNothingAboutNothing) {
  Answerer chat(yes);
  JudgedGroup empty = group();
  empty.completions = {{{}, {""}}, {StepTexts{"early", std::nullopt, std::nullopt}, {""}}};
  const auto opinions = ask(chat, {empty})[0];
  EXPECT_EQ(chat.asked.size(), 1u);
  EXPECT_FALSE(opinions[0].steps[0]);
  EXPECT_EQ(opinions[1].steps[0], 1.0);
}

}  // namespace
}  // namespace compeer::judging
