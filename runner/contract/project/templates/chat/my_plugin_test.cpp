#include <compeer/chat.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

namespace {

std::vector<std::string> answers(compeer::Host& host, const std::vector<std::string>& questions) {
  const auto plugin = compeer::open_library<compeer::Chat>(PLUGIN_FILE, {{"words", "Why"}}, host);
  std::vector<compeer::ChatRequest> requests;
  for (const auto& question : questions) requests.push_back({.turns = {{"user", question}}});
  std::vector<std::string> texts(questions.size());
  plugin->answer(requests, [&](size_t i, compeer::ChatReply reply) { texts.at(i) = reply.text; });
  return texts;
}

TEST(MyPlugin, AsksBack) {
  compeer::TestHost host;
  EXPECT_EQ(answers(host, {"sad", ""}), (std::vector<std::string>{"Why \"sad\"?", "Why \"\"?"}));
}

TEST(MyPlugin, AnswersNobodyOnceTheRunIsToStop) {
  compeer::TestHost host;
  host.stopped = true;
  EXPECT_EQ(answers(host, {"sad"}), std::vector<std::string>{""});
}

}  // namespace
