#include "openai/wire.h"

#include <gtest/gtest.h>

#include <cmath>

#include "openai/endpoint.h"
#include "places.h"

namespace compeer::openai {
namespace {

std::string broken(const std::string& body) { return read(body).error; }

TEST(Wire, ReadsTextAsStringOrAsParts) {
  EXPECT_EQ(read(R"({"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]})").reply.text, "a");
  const auto parts =
      read(R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"x"},{"text":"b"}]}}]})");
  EXPECT_EQ(parts.reply.text, "ab");
  EXPECT_FALSE(parts.usage);
  EXPECT_TRUE(parts.reply.finished);
  EXPECT_EQ(broken("\n {\"choices\":[{\"message\":{\"content\":\"\"}}]}"), "") << "nothing said is an answer";
}

TEST(Wire, SaysWhoAnswered) {
  const auto body = R"({"model":"large-2026","choices":[{"message":{"content":"a"}}]})";
  EXPECT_EQ(read(body).reply.served, "large-2026");
  EXPECT_EQ(read(R"({"model":7,"choices":[{"message":{"content":"a"}}]})").reply.served, "");
}

TEST(Wire, HoldsAnAnswerToItsChoicesWhereTheEndpointCan) {
  ChatRequest request{.turns = {{"user", "Is it?"}}, .choices = {"yes", "no"}};
  const auto format = [&](const RequestFormat& form) {
    return nlohmann::json::parse(body_of(form, request)).value("response_format", nlohmann::json());
  };
  EXPECT_TRUE(format({.model = "m"}).is_null());
  const auto given = format({.model = "m", .response_format = "json_schema"});
  EXPECT_EQ(given.at("type"), "json_schema");
  EXPECT_EQ(given.at("json_schema").at("schema").at("properties").at("answer").at("enum"),
            nlohmann::json({"yes", "no"}));
  request.choices.clear();
  EXPECT_TRUE(format({.model = "m", .response_format = "json_schema"}).is_null());
}

TEST(Wire, SaysWhatIsBroken) {
  EXPECT_EQ(broken(""), "it is empty");
  EXPECT_EQ(broken(" \n"), "it is empty");
  EXPECT_EQ(broken("[1]"), "it is not JSON: '[1]'");
  EXPECT_EQ(broken("{}"), "it contains no answer");
  EXPECT_EQ(broken(R"({"choices":[]})"), "it contains no answer");
  EXPECT_EQ(broken(R"({"error":{"message":"busy"}})"), "it reports: busy");
  EXPECT_EQ(broken(R"({"error":"busy"})"), "it reports: busy");
  EXPECT_EQ(broken(R"({"error":[[]]})"), "it reports: an error without a message");
  EXPECT_TRUE(broken(R"({"choices":7})").starts_with("its JSON is invalid: ")) << broken(R"({"choices":7})");
  EXPECT_TRUE(broken(R"({"choices":[{"message":{"content":5}}]})").starts_with("its JSON is invalid: "));
  EXPECT_TRUE(broken("{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}").starts_with("its JSON is invalid: "));
  EXPECT_EQ(broken("<" + std::string(5000, 'x')).size(), std::string("it is not JSON: ''").size() + 60);
}

TEST(Wire, NeverFallsOverWhateverTheBody) {
  const std::string good =
      R"({"choices":[{"message":{"content":"abc"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}})";
  for (size_t cut = 0; cut < good.size(); ++cut) EXPECT_NE(broken(good.substr(0, cut)), "") << cut;
  EXPECT_NE(broken(R"({"a":)" + std::string(100000, '[')), "");
  EXPECT_NE(broken(R"({"choices":{"0":1}})"), "");
  EXPECT_NE(broken(R"({"choices":["x"]})"), "");
  EXPECT_NE(broken(R"({"choices":[{"message":"x"}],"usage":7})"), "");
}

TEST(Wire, BelievesNoNumberOfTokensThatCantBe) {
  const auto counted = [](const std::string& usage) {
    return read(R"({"choices":[{"message":{"content":""}}],"usage":{"prompt_tokens":)" + usage + "}}")
        .reply.prompt_tokens;
  };
  EXPECT_EQ(counted("17"), 17);
  EXPECT_EQ(counted("9223372036854775807"), 1'000'000'000) << "sums of such overflow";
  EXPECT_EQ(counted("1e300"), 1'000'000'000);
  EXPECT_EQ(counted("-5"), 0);
  EXPECT_EQ(counted("\"17\""), 0);
}

TEST(Wire, TellsInUtf8OfWhatIsNone) {
  EXPECT_EQ(broken("<\xff\x1b[31m"), "it is not JSON: '<? [31m'");
  EXPECT_EQ(broken("{\"choices\":[{\"message\":{\"content\":\"\xff").find('\xff'), std::string::npos);
  EXPECT_EQ(broken(R"({"choices":)" + std::string(1'000'000, '[')), "its JSON nests too deeply");
}

TEST(Wire, ReadsEventsWithAnyLineEnd) {
  const std::string a = R"(data: {"choices":[{"delta":{"role":"assistant"}}]})",
                    b = R"(data:{"choices":[{"delta":{"content":"x"},"finish_reason":"length"}]})";
  for (const char* end : {"\n", "\r\n", "\r"}) {
    const auto received = read(": hi" + std::string(end) + end + "event: m" + end + a + end + end + b + end + end);
    EXPECT_EQ(received.error, "");
    EXPECT_EQ(received.reply.text, "x");
    EXPECT_FALSE(received.reply.finished);
  }
  EXPECT_EQ(read("data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]").reply.text, "x")
      << "an event in two lines; no empty line at the end";
}

TEST(Wire, KnowsAStreamThatWasCut) {
  const std::string whole =
      "data: {\"choices\":[{\"delta\":{\"content\":\"\u6211\"}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
  const size_t reason = whole.rfind('}') + 1;
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_EQ(broken(whole.substr(0, cut)) == "", cut >= reason) << cut;
  }
}

TEST(Wire, FindsTheMessageOfAnError) {
  EXPECT_EQ(error_of(R"({"error":{"message":"no\nsuch model","code":1}})").message, "no such model");
  EXPECT_EQ(error_of(R"({"message":"gone"})").message, "gone");
  EXPECT_EQ(error_of(R"([{"error":{"code":429,"message":"slow down"}}])").message, "slow down");
  EXPECT_EQ(error_of(R"({"detail":"Not Found"})").message, "Not Found");
  EXPECT_EQ(error_of(R"({"detail":[{"loc":["body","seed"]}]})").message, R"([{"loc":["body","seed"]}])");
  EXPECT_EQ(error_of("<h1>502</h1>").message, "\"<h1>502</h1>\"");
  EXPECT_EQ(error_of("").message, "no reason given");
  const auto cut = error_of(R"({"message":")" + std::string(298, 'a') + "\u6211\u6211\"}").message;
  EXPECT_EQ(cut, std::string(297, 'a') + "...");
}

TEST(Wire, ReadsTheCodeOfAnErrorAndTheFieldThatItIsAbout) {
  const auto error = error_of(R"({"error":{"message":"m","type":"t","code":"unsupported_parameter","param":"seed"}})");
  EXPECT_EQ(error.code, "unsupported_parameter");
  EXPECT_EQ(error.param, "seed");
  EXPECT_EQ(error_of(R"({"error":{"message":"m","type":"insufficient_quota","code":null}})").code,
            "insufficient_quota");
  EXPECT_EQ(error_of(R"({"message":"m","code":400,"param":null})").code, "");
}

TEST(Wire, NamesAnHtmlPageByItsTitle) {
  EXPECT_EQ(broken("<!DOCTYPE html>\n<html><head><TITLE>\n Log in </title></head></html>"),
            "it is an HTML page: '  Log in '");
  EXPECT_EQ(error_of("\n<html><body><h1>404 page not found</h1></body>").message, "an HTML page: '404 page not found'");
  EXPECT_EQ(error_of("<html><body>data: moved</body></html>").message, "an HTML page: 'data: moved'");
  EXPECT_EQ(error_of("<html><title></title>").message, "an HTML page");
}

TEST(Wire, NamesAToolCallAndARefusalInPlaceOfAnAnswer) {
  const auto failure = [](const std::string& body) { return read(body).reply.failure; };
  EXPECT_EQ(failure(R"({"choices":[{"message":{"content":null,"tool_calls":[{"type":"function","function":)"
                    R"({"name":"search","arguments":"{}"}}]},"finish_reason":"tool_calls"}]})"),
            "the model called the tool 'search' instead of answering");
  EXPECT_EQ(failure("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"look\"}}]}}]}\n\n"
                    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"{}\"}}]}}]}\n\n"
                    "data: [DONE]\n\n"),
            "the model called the tool 'look' instead of answering");
  EXPECT_EQ(failure(R"({"choices":[{"message":{"content":null,"refusal":"I can't."}}]})"),
            "the model refused: I can't.");
  EXPECT_EQ(failure(R"({"choices":[{"message":{"content":"a","tool_calls":[]}}]})"), "");
}

TEST(Wire, SendsPicturesBeforeTheText) {
  const auto picture = std::string(COMPEER_SOURCE_DIR) + "/tests/golden/vl/images/image0.png";
  const auto body = nlohmann::json::parse(body_of({.model = "m"}, {.turns = {{"user", "a", {picture}}}}));
  const auto& content = body["messages"][0]["content"];
  ASSERT_EQ(content.size(), 2u);
  EXPECT_EQ(content[0]["type"], "image_url");
  EXPECT_TRUE(content[0]["image_url"]["url"].get<std::string>().starts_with("data:image/png;base64,iVBORw0KGgo"));
  EXPECT_EQ(content[1], (nlohmann::json{{"type", "text"}, {"text", "a"}}));
}

TEST(Wire, WritesTextsThatAreNotUtf8) {
  const auto body = body_of({.model = "m"}, {.turns = {{"user", "a\xff"}}});
  EXPECT_EQ(nlohmann::json::parse(body)["messages"][0]["content"], "a\ufffd");
}

using Texts = std::vector<std::string>;

const Texts steps{"True", "False"}, replies{"first", "second", "both good", "neither"};

AnswerToken token(const std::string& text, std::vector<std::pair<std::string, double>> likely = {}) {
  for (auto& [other, p] : likely) p = std::log(p);
  return {text, std::move(likely)};
}

std::vector<double> likely(const Texts& choices, const std::vector<AnswerToken>& tokens) {
  auto all = choice_log_probs(choices, tokens);
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
  EXPECT_EQ(received.error, "");
  EXPECT_EQ(received.reply.log_probs, (std::vector<double>{-0.1, -2.5}));
}

// An endpoint may list the most likely tokens without the sampled one.
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
  EXPECT_EQ(answer("null").error, without_log_probs);
  EXPECT_EQ(answer("{\"content\":null}").error, without_log_probs);
  EXPECT_EQ(answer("{\"content\":[]}").error, without_log_probs);
  EXPECT_NE(answer("{\"content\":[{\"token\":7,\"logprob\":-1}]}").error.find("its JSON is invalid"),
            std::string::npos);
  EXPECT_NE(answer("{\"content\":7}").error, "");
  EXPECT_EQ(answer("{\"content\":[{\"token\":\"True\",\"logprob\":3}]}").error,
            "one of its log-probabilities is above 0");
  EXPECT_EQ(answer("{\"content\":[{\"token\":\"True\",\"logprob\":-9999}]}").reply.log_probs[0], -100);
}

TEST(LogProbs, AreAskedForWhereChoicesAreWeighed) {
  ChatRequest request{.turns = {{"user", "x"}}, .choices = steps};
  EXPECT_EQ(body_of({.model = "m"}, request).find("logprobs"), std::string::npos);
  request.want_log_probs = true;
  const auto body = nlohmann::json::parse(body_of({.model = "m"}, request));
  EXPECT_EQ(body.at("logprobs"), true);
  EXPECT_EQ(body.at("top_logprobs"), 20);
}

using std::chrono::milliseconds;

TEST(Patience, DoublesTheLongestWaitAndDrawsBelowIt) {
  const Patience patience{.retries = 9, .first = milliseconds(100), .longest = milliseconds(1000)};
  EXPECT_EQ(patience.wait(1, {}, 0.5), milliseconds(50));
  EXPECT_EQ(patience.wait(2, {}, 0.5), milliseconds(100));
  EXPECT_EQ(patience.wait(3, {}, 0.25), milliseconds(100));
  EXPECT_EQ(patience.wait(4, {}, 0.999), milliseconds(799));
  EXPECT_EQ(patience.wait(5, {}, 0.5), milliseconds(500)) << "1600 is more than the longest";
  EXPECT_EQ(patience.wait(900, {}, 0.5), milliseconds(500));
  EXPECT_EQ(patience.wait(1, {}, 0.0), milliseconds(0));
}

TEST(Patience, WaitsAsLongAsTheEndpointAsks) {
  const Patience patience{.retries = 9, .first = milliseconds(100), .longest = milliseconds(1000)};
  EXPECT_EQ(patience.wait(1, milliseconds(300), 0.5), milliseconds(300));
  EXPECT_EQ(patience.wait(4, milliseconds(300), 0.5), milliseconds(400));
  EXPECT_EQ(patience.wait(1, milliseconds(3'600'000), 0.5), milliseconds(1000)) << "but not for an hour";
}

TEST(Address, KnowsThisMachine) {
  for (const char* url :
       {"http://127.0.0.1:8000/v1", "http://localhost/v1", "https://[::1]:1/v1", "http://127.9.9.9"}) {
    EXPECT_TRUE(Address(url).loopback) << url;
  }
  for (const char* url : {"http://10.0.0.1/v1", "https://localhost.example.com/v1", "http://0x7f.example/v1"}) {
    EXPECT_FALSE(Address(url).loopback) << url;
  }
  EXPECT_TRUE(Address("https://example.com/v1").secure);
  EXPECT_FALSE(Address("http://example.com/v1").secure);
}

std::string refused(const char* url) {
  try {
    const Address address(url);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Address, RefusesWhatIsNoEndpoint) {
  EXPECT_EQ(refused("example.com/v1"), "url: is not a URL that begins with http:// or https://");
  EXPECT_EQ(refused(""), "url: is not a URL that begins with http:// or https://");
  EXPECT_EQ(refused("file:///etc/passwd"), "url: must begin with http:// or https://");
  EXPECT_NE(refused("https://user:word@example.com/v1"), "");
  EXPECT_NE(refused("https://example.com/v1?api-key=1"), "");
}

Settings settings(const std::string& url) {
  return Settings(nlohmann::json{{"url", url},
                                 {"name", "m"},
                                 {"key_env", "NO_KEY_HERE"},
                                 {"key_over_http", false},
                                 {"concurrent", 8},
                                 {"timeout", 1.5},
                                 {"connect_timeout", 1},
                                 {"stall_timeout", 0.0001},
                                 {"retries", 2},
                                 {"backoff", 1},
                                 {"backoff_max", 2},
                                 {"give_up", 3},
                                 {"stream", false},
                                 {"price_in", 0},
                                 {"price_out", 0},
                                 {"limit_field", "max_tokens"},
                                 {"response_format", "none"},
                                 {"omit", {"seed"}},
                                 {"extra", nlohmann::json::object()},
                                 {"requests_per_minute", 120},
                                 {"tokens_per_minute", 0},
                                 {"budget", 0},
                                 {"budget_tokens", 0}});
}

TEST(Endpoint, MakesThePathWhateverItsUrlEndsWith) {
  for (const char* url : {"http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1/",
                          "http://127.0.0.1:8000/v1/chat/completions", "http://127.0.0.1:8000/v1/chat/completions/"}) {
    EXPECT_EQ(Endpoint(settings(url)).post.url, "http://127.0.0.1:8000/v1/chat/completions") << url;
  }
}

TEST(Endpoint, ReadsTimes) {
  const Endpoint endpoint(settings("http://127.0.0.1:8000/v1"));
  EXPECT_EQ(endpoint.post.whole, milliseconds(1500));
  EXPECT_EQ(endpoint.post.stall, milliseconds(1)) << "rounded up: 0 would mean for ever";
  EXPECT_EQ(endpoint.min_interval, milliseconds(500));
  EXPECT_TRUE(endpoint.post.direct);
}

}  // namespace
}  // namespace compeer::openai
