// The requests that are sent, and the processing of good answers.
#include <cstdlib>
#include <set>

#include "asker.h"
#include "base/files.h"

namespace compeer {
namespace {

using nlohmann::json;
using server::Seen;
using server::Server;

TEST(OpenAi, PostsTheConversationAndReadsTheAnswer) {
  std::string head;
  json body;
  Server server([&](const Seen& seen) {
    head = seen.head;
    body = json::parse(seen.body);
    return server::send(server::response(200, server::answer_body("I hear you: \u6211\u5728\u3002", "stop", 21, 7)));
  });
  Asker asker;
  const ChatRequest request{.turns = {{"system", "Be kind."}, {"user", "Hi"}, {"assistant", "Hello"}, {"user", "Sad."}},
                            .temperature = 0.5,
                            .max_tokens = 77,
                            .sample_index = 3};
  const auto reply = asker.ask(Asker::openai(server), std::vector{request})[0];
  EXPECT_EQ(reply.text, "I hear you: \u6211\u5728\u3002");
  EXPECT_EQ(reply.failure, "");
  EXPECT_TRUE(reply.finished);
  EXPECT_EQ(reply.prompt_tokens, 21);
  EXPECT_EQ(reply.completion_tokens, 7);
  EXPECT_TRUE(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n")) << head;
  EXPECT_NE(head.find("Content-Type: application/json"), std::string::npos);
  EXPECT_EQ(head.find("Authorization"), std::string::npos) << "the variable is not set";
  EXPECT_EQ(body, json::parse(R"({"model": "tiny", "temperature": 0.5, "max_tokens": 77, "seed": 3, "stream": false,
    "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"},
                 {"role": "assistant", "content": "Hello"}, {"role": "user", "content": "Sad."}]})"));
}

TEST(OpenAi, LetsTheBodyBeChanged) {
  json body;
  Server server([&](const Seen& seen) {
    body = json::parse(seen.body);
    return server::answer("yes");
  });
  Asker asker;
  asker.ask(Asker::openai(server, {{"limit_field", "max_completion_tokens"},
                                   {"extra", {{"reasoning_effort", "low"}}},
                                   {"omit", {"seed", "temperature"}}}),
            "q");
  EXPECT_EQ(body, json::parse(R"({"model": "tiny", "max_completion_tokens": 512, "stream": false,
    "reasoning_effort": "low", "messages": [{"role": "user", "content": "q"}]})"));
  const auto error = error_of([&] { asker.chat(Asker::openai(server, {{"extra", {{"model", "gpt"}}}})); });
  EXPECT_NE(error.problem().find("the field 'model' is set by the plugin"), std::string::npos) << error.what();
}

TEST(OpenAi, SaysOnceThatAnotherModelAnswers) {
  Server server([](const Seen&) {
    auto body = json::parse(server::answer_body("yes"));
    body["model"] = "large-2026";
    return server::send(server::response(200, body.dump()));
  });
  Asker asker;
  asker.ask(Asker::openai(server), Asker::questions(3));
  EXPECT_EQ(asker.log, Asker::opening(server) + "chat/openai: 'tiny' answers as 'large-2026'\n");
}

TEST(OpenAi, KnowsAnAnswerThatWasCutOff) {
  Server server([](const Seen&) { return server::send(server::response(200, server::answer_body("I", "length"))); });
  EXPECT_FALSE(Asker().ask(Asker::openai(server), "q").finished);
}

TEST(OpenAi, AsksSideBySideAndMatchesAnswersToQuestions) {
  std::atomic<Server*> self = nullptr;
  Server server([&](const Seen& seen) {
    self.load()->wait_for_open(6);  // the first answer is sent when six requests are open
    return server::answer("re: " + server::asked(seen));
  });
  self = &server;
  server.act_side_by_side();
  Asker asker;
  const auto replies = asker.ask(Asker::openai(server, {{"concurrent", 6}}), Asker::questions(30));
  EXPECT_EQ(server.most_at_once(), 6) << "as many as allowed, and no more";
  EXPECT_EQ(server.requests(), 30u);
  for (size_t i = 0; i < replies.size(); ++i) EXPECT_EQ(replies[i].text, "re: question " + std::to_string(i));
}

TEST(OpenAi, CountsTokensAndCost) {
  Server server(
      [](const Seen&) { return server::send(server::response(200, server::answer_body("a", "stop", 1000, 500))); });
  Asker asker;
  asker.ask(Asker::openai(server, {{"price_in", 2.5}, {"price_out", 10}}), Asker::questions(4));
  asker.open();
  // price: 4 * (1000 * 2.5 + 500 * 10) / 1e6
  EXPECT_EQ(asker.log,
            Asker::opening(server) +
                "chat/openai: tiny: 4 requests, 4 tries, 0 failed; 4000 tokens asked, 2000 answered; cost 0.0300\n");
  EXPECT_EQ(asker.counts.asked, 4);
  EXPECT_EQ(asker.counts.prompt_tokens, 4000);
  EXPECT_EQ(asker.counts.completion_tokens, 2000);
}

std::string event(const std::string& text, const char* reason = nullptr) {
  json choice{{"index", 0}, {"delta", {{"content", text}}}, {"finish_reason", nullptr}};
  if (reason) choice["finish_reason"] = reason;
  return "data: " + json{{"choices", {choice}}}.dump() + "\n\n";
}

TEST(OpenAi, ReadsAStreamHoweverItIsCutIntoPieces) {
  const std::string usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n";
  const std::string stream =
      ": waiting\n\n" + event("\u6211") + event(" \U0001f499", "stop") + usage + "data: [DONE]\n\n";
  json body;
  Server server([&](const Seen& seen) {
    body = json::parse(seen.body);
    std::vector<std::string> pieces{"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"};
    for (const char byte : stream) pieces.emplace_back(1, byte);  // splits characters, too
    return server::Act{.pieces = pieces};
  });
  const auto reply = Asker().ask(Asker::openai(server, {{"stream", true}}), "q");
  EXPECT_EQ(reply.text, "\u6211 \U0001f499");
  EXPECT_EQ(reply.prompt_tokens, 5);
  EXPECT_EQ(reply.completion_tokens, 2);
  EXPECT_EQ(body.at("stream"), true);
  EXPECT_EQ(body.at("stream_options"), json({{"include_usage", true}}));
}

TEST(OpenAi, KeepsTheRateLimit) {
  Server server([](const Seen&) { return server::answer("a"); });
  const auto begin = std::chrono::steady_clock::now();
  Asker().ask(Asker::openai(server, {{"requests_per_minute", 6000}}), Asker::questions(6));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50)) << "five gaps of 10 ms";
}

TEST(OpenAi, RemembersAcrossSettingsThatChangeNoAnswer) {
  Server server([](const Seen& seen) { return server::answer("re: " + server::asked(seen)); });
  const auto folder = std::filesystem::path(testing::TempDir()) / "openai_memory";
  std::filesystem::remove_all(folder);
  for (const auto& more : {json::object(), json{{"timeout", 33}, {"concurrent", 2}, {"stream", true}}}) {
    plugin::AnswerStore store(folder, {});
    Asker asker;
    asker.services.answers = &store;
    EXPECT_EQ(asker.ask(Asker::openai(server, more), "q").text, "re: q");
    EXPECT_EQ(server.requests(), 1u);
    asker.open();
  }
  plugin::AnswerStore store(folder, {});
  Asker asker;
  asker.services.answers = &store;
  asker.ask(Asker::openai(server, {{"extra", {{"top_p", 0.5}}}}), "q");
  asker.ask(Asker::openai(server, {{"name", "other"}}), "q");
  EXPECT_EQ(server.requests(), 3u);
  asker.open();
}

// An answer has thirteen tokens: 0.000013 at a price of 1 per million.
TEST(OpenAi, StopsOnceItsBudgetIsSpentAndKeepsWhatWasPaid) {
  for (const auto& [budget, answered] : {std::pair<json, int64_t>{{{"budget_tokens", 30}}, 3},
                                         {{{"budget", 0.00002}, {"price_in", 1}, {"price_out", 1}}, 2}}) {
    Server server([](const Seen&) { return server::answer_and_stay("a"); });
    Asker asker;
    json settings{{"concurrent", 1}};
    settings.update(budget);
    const auto error = error_of([&] { asker.ask(Asker::openai(server, settings), Asker::questions(9)); });
    EXPECT_EQ(error.exit(), Exit::spent);
    EXPECT_NE(error.problem().find("its budget is spent: "), std::string::npos) << error.what();
    EXPECT_EQ(asker.counts.asked, answered);
  }
  Server server([](const Seen&) { return server::answer("a"); });
  Asker asker;
  EXPECT_NE(error_of([&] {
              asker.chat(Asker::openai(server, {{"budget", 1}}));
            })
                .problem()
                .find("both prices are 0"),
            std::string::npos);
}

TEST(OpenAi, RefusesAnEndpointThatWeighsNothing) {
  Server server([](const Seen&) { return server::answer("True"); });
  Asker asker;
  ChatRequest request = Asker::questions({"q"})[0];
  request.choices = {"True", "False"};
  request.want_log_probs = true;
  const auto error = error_of([&] { asker.ask(Asker::openai(server), std::vector{request}); });
  EXPECT_NE(error.problem().find("returns no log-probabilities"), std::string::npos) << error.what();
  EXPECT_NE(error.help().find("score_by = \"answer\""), std::string::npos);
}

// The key is sent in one header and appears nowhere else.

constexpr const char* canary = "sk-canary-0123456789";

class Keyed : public testing::Test {
 protected:
  Keyed() { ::setenv("CANARY_KEY", canary, 1); }
  ~Keyed() override { ::unsetenv("CANARY_KEY"); }

  static nlohmann::json settings(const Server& server) { return Asker::openai(server, {{"key_env", "CANARY_KEY"}}); }
};

using TheKey = Keyed;

// An endpoint that returns the request's headers.
server::Act echo(int status, const Seen& seen) {
  const auto begin = seen.head.find("Authorization: ");
  const auto header = begin == std::string::npos ? "" : seen.head.substr(begin, seen.head.find("\r\n", begin) - begin);
  if (status == 200) return server::answer("You sent " + header);
  return server::fail(status, "wrong: " + header);
}

TEST_F(TheKey, IsSent) {
  std::string head;
  Server server([&](const Seen& seen) {
    head = seen.head;
    return server::answer("a");
  });
  ::setenv("CANARY_KEY", (std::string(" ") + canary + "\n").c_str(), 1);  // with white space
  Asker().ask(settings(server), "q");
  EXPECT_NE(head.find(std::string("\r\nAuthorization: Bearer ") + canary + "\r\n"), std::string::npos) << head;
}

TEST_F(TheKey, IsAnnouncedByTheNameOfItsVariableBeforeAnythingIsAsked) {
  Server server([](const Seen&) { return server::answer("a"); });
  Asker asker;
  auto choice = settings(server);
  asker.chat(choice);
  EXPECT_EQ(asker.log, "chat/openai: tiny: sends requests to " + server.url() + " with the key in $CANARY_KEY\n");
  asker.log.clear();
  choice["key_env"] = "NO_KEY_HERE";
  asker.chat(choice);
  EXPECT_EQ(asker.log, Asker::opening(server));
}

TEST_F(TheKey, IsInNoErrorReplyLogOrMemory) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "canary_memory";
  std::filesystem::remove_all(folder);
  std::string everything;
  for (const int status : {200, 400, 401, 429, 500}) {
    Server server([&](const Seen& seen) { return echo(status, seen); });
    plugin::AnswerStore store(folder, {});
    Asker asker;
    asker.services.answers = &store;
    try {
      const auto reply = asker.ask(settings(server), "q");
      everything += reply.text + "\n" + reply.failure + "\n";
    } catch (const Error& error) {
      everything += std::string(error.what()) + "\n";
    }
    asker.open();
    everything += asker.log;
  }
  everything += read_file(plugin::answer_files(folder).at(0));
  EXPECT_EQ(everything.find("canary-0123456789"), std::string::npos) << everything;
  EXPECT_NE(everything.find("You sent Authorization: Bearer [the key in $CANARY_KEY]"), std::string::npos)
      << everything;
  EXPECT_NE(everything.find("wrong: Authorization: Bearer [the key in $CANARY_KEY]"), std::string::npos);
}

TEST_F(TheKey, GoesOverHttpToThisMachineOnly) {
  Asker asker;
  nlohmann::json settings{
      {"plugin", "openai"}, {"url", "http://192.0.2.1/v1"}, {"name", "tiny"}, {"key_env", "CANARY_KEY"}};
  const auto error = error_of([&] { asker.chat(settings); });
  EXPECT_NE(error.problem().find("http://192.0.2.1/v1: the key in $CANARY_KEY would be sent over http"),
            std::string::npos)
      << error.what();
  EXPECT_EQ(std::string(error.what()).find(canary), std::string::npos);
  settings["key_over_http"] = true;
  EXPECT_EQ(asker.chat(settings).model(), "tiny");
  settings["key_over_http"] = false;
  settings["key_env"] = "NO_KEY_HERE";
  EXPECT_EQ(asker.chat(settings).model(), "tiny") << "there is no key to lose";
}

TEST_F(TheKey, IsRefusedWithoutBeingShownIfItIsNone) {
  ::setenv("CANARY_KEY", "sk-canary-01234\r\nEvil: 1", 1);
  Server server([](const Seen&) { return server::answer("a"); });
  Asker asker;
  const auto error = error_of([&] { asker.chat(settings(server)); });
  EXPECT_NE(error.problem().find("$CANARY_KEY: contains white space or non-ASCII characters"), std::string::npos)
      << error.what();
  EXPECT_EQ(std::string(error.what()).find("canary-01234"), std::string::npos);
}

TEST_F(TheKey, DoesNotStandInTheUrl) {
  Asker asker;
  for (const char* url : {"https://user:word@example.com/v1", "https://example.com/v1?key=word"}) {
    const auto error = error_of([&] {
      asker.chat({{"plugin", "openai"}, {"url", url}, {"name", "tiny"}, {"key_env", "CANARY_KEY"}});
    });
    EXPECT_NE(error.problem().find("which would be stored in the spec"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find("word@"), std::string::npos);
  }
}

TEST_F(TheKey, DoesNotGoThroughAProxyToThisMachine) {
  Server proxy([](const Seen&) { return server::answer("from the proxy"); });
  Server server([](const Seen&) { return server::answer("direct"); });
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  ::setenv("ALL_PROXY", proxy.url().c_str(), 1);
  EXPECT_EQ(Asker().ask(settings(server), "q").text, "direct");
  EXPECT_EQ(proxy.requests(), 0u);
  ::unsetenv("http_proxy");
  ::unsetenv("ALL_PROXY");
}

}  // namespace
}  // namespace compeer
