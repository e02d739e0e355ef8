#include "openai/wire.h"

#include <gtest/gtest.h>

#include <cmath>

#include "openai/wire.h"

namespace compeer::openai {
namespace {

using Texts = std::vector<std::string>;

const Texts steps{"True", "False"}, replies{"first", "second", "both good", "neither"};

AnswerToken token(const std::string& text, std::vector<std::pair<std::string, double>> likely = {}) {
  for (auto& [other, p] : likely) p = std::log(p);
  return {text, std::move(likely)};
}

std::vector<double> likely(const Texts& choices, const std::vector<AnswerToken>& tokens) {
  auto all = log_probs_of(choices, tokens);
  for (double& one : all) one = std::exp(one);
  return all;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << i;
}

TEST(LogProbs, AreThoseOfTheTokensThatChoicesBeginWith) {
  expect_near(likely(steps, {token("True", {{"True", .6}, {" true", .1}, {"False", .2}, {"Yes", .05}})}), {.7, .2});
  expect_near(likely(replies, {token(" both", {{" both", .5}, {"fir", .2}, {"second", .1}, {"ne", .1}})}),
              {.2, .1, .5, .1});
}

TEST(LogProbs, OfAChoiceThatIsNotToldAreWhatTheOthersLeave) {
  expect_near(likely(steps, {token("True", {{"True", .9}, {"Yes", .06}})}), {.9, .04});
  expect_near(likely(steps, {token("True", {{"True", .7}, {"Yes", .1}})}), {.7, .1});
}

TEST(LogProbs, AreThoseWhereTheAnswerBegins) {
  const auto answer = token("False", {{"False", .8}, {"True", .2}});
  expect_near(likely(steps, {token("\n"), token(" "), answer}), {.2, .8});
  expect_near(likely(steps, {token("{\""), token("answer"), token("\":"), token(" \""), answer, token("\"}")}),
              {.2, .8});
  expect_near(likely(steps, {token("{\"answer"), token("\":\""), answer, token("\"}")}), {.2, .8});
}

TEST(LogProbs, AreNoneOfAnAnswerThatIsNoChoice) {
  EXPECT_TRUE(likely(steps, {token("Well", {{"Well", .8}, {"True", .2}})}).empty());
  EXPECT_TRUE(likely({"one", "other"}, {token("o", {{"o", 1}})}).empty()) << "it may be either";
  EXPECT_TRUE(likely(steps, {token(" ")}).empty());
  EXPECT_TRUE(likely(steps, {token("{}")}).empty());
}

Received answer(const std::string& log_probs) {
  return read(R"({"choices":[{"message":{"content":"True"},"finish_reason":"stop","logprobs":)" + log_probs + "}]}",
              steps);
}

TEST(LogProbs, AreReadFromAnAnswer) {
  const auto received = answer(
      R"({"content":[{"token":"True","logprob":-0.1,"top_logprobs":[{"token":"True","logprob":-0.1},
          {"token":"False","logprob":-2.5}]}]})");
  EXPECT_EQ(received.broken, "");
  EXPECT_EQ(received.reply.log_probs, (std::vector<double>{-0.1, -2.5}));
}

// As an endpoint may tell the likeliest without the one that it took.
TEST(LogProbs, HaveTheTokenThatWasSaidToo) {
  const nlohmann::json said{
      {"token", "True"}, {"logprob", std::log(.6)}, {"top_logprobs", {{{"token", "zz"}, {"logprob", std::log(.3)}}}}};
  std::vector<AnswerToken> tokens;
  add_tokens(nlohmann::json::array({said}), tokens);
  expect_near(likely(steps, tokens), {.6, .1});
}

TEST(LogProbs, AreReadFromAStream) {
  const auto received = read(
      "data: {\"choices\":[{\"delta\":{\"content\":\"Tr\"},\"logprobs\":{\"content\":[{\"token\":\"Tr\",\"logprob\":"
      "-0.5,\"top_logprobs\":[{\"token\":\"Tr\",\"logprob\":-0.5},{\"token\":\"F\",\"logprob\":-1.5}]}]}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{\"content\":\"ue\"},\"logprobs\":{\"content\":[{\"token\":\"ue\",\"logprob\":0,"
      "\"top_logprobs\":[]}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
      steps);
  EXPECT_EQ(received.reply.text, "True");
  EXPECT_EQ(received.reply.log_probs, (std::vector<double>{-0.5, -1.5}));
}

TEST(LogProbs, ThatAreNoneOrNonsenseBreakAnAnswer) {
  EXPECT_EQ(answer("null").broken, without_log_probs);
  EXPECT_EQ(answer("{\"content\":null}").broken, without_log_probs);
  EXPECT_EQ(answer("{\"content\":[]}").broken, without_log_probs);
  EXPECT_NE(answer("{\"content\":[{\"token\":7,\"logprob\":-1}]}").broken.find("its JSON is damaged"),
            std::string::npos);
  EXPECT_NE(answer("{\"content\":7}").broken, "");
  EXPECT_EQ(answer("{\"content\":[{\"token\":\"True\",\"logprob\":3}]}").broken,
            "one of its log-probabilities is above 0");
  EXPECT_EQ(answer("{\"content\":[{\"token\":\"True\",\"logprob\":-9999}]}").reply.log_probs[0], -100);
}

TEST(LogProbs, AreAskedForWhereChoicesAreWeighed) {
  ChatRequest request{.turns = {{"user", "x"}}, .choices = steps};
  EXPECT_EQ(body_of({.model = "m"}, request).find("logprobs"), std::string::npos);
  request.weigh = true;
  const auto body = nlohmann::json::parse(body_of({.model = "m"}, request));
  EXPECT_EQ(body.at("logprobs"), true);
  EXPECT_EQ(body.at("top_logprobs"), 20);
}

}  // namespace
}  // namespace compeer::openai
