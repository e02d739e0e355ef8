#include "serve/request.h"

#include <gtest/gtest.h>

#include "serve/answer.h"

namespace compeer::serve {
namespace {

using json = nlohmann::ordered_json;

json asked(const json& more = {}) {
  json body = {{"model", "tiny"}, {"messages", {{{"role", "user"}, {"content", "Hello."}}}}};
  if (more.is_object()) body.update(more);
  return body;
}

CompletionRequest read(const json& more) { return read_completion_request(asked(more).dump()); }

HttpError refusal_of(const std::string& body) {
  try {
    read_completion_request(body);
  } catch (const HttpError& refusal) {
    return refusal;
  }
  ADD_FAILURE() << body << " was taken";
  return {0, ""};
}

std::string refused(const json& more) { return refusal_of(asked(more).dump()).what(); }

TEST(CompletionRequest, HasOpenAisDefaults) {
  const auto call = read({});
  EXPECT_EQ(call.model, "tiny");
  EXPECT_EQ(call.messages.dump(), R"([{"role":"user","content":"Hello."}])");
  EXPECT_EQ(call.temperature, 1);
  EXPECT_EQ(call.top_p, 1);
  EXPECT_EQ(call.n, 1);
  EXPECT_FALSE(call.max_tokens || call.seed || call.stream || call.log_probs);
}

TEST(CompletionRequest, TakesWhatClientsSend) {
  const auto call = read({{"temperature", 0.5},
                          {"top_p", 0.25},
                          {"top_k", 3},
                          {"min_p", 0.125},
                          {"max_completion_tokens", 7},
                          {"n", 2},
                          {"seed", -1},
                          {"stop", {"\n", "END"}},
                          {"stream", true},
                          {"stream_options", {{"include_usage", true}}},
                          {"logprobs", true},
                          {"top_logprobs", 4},
                          {"user", "me"},
                          {"presence_penalty", 0},
                          {"tools", json::array()},
                          {"logit_bias", nullptr}});
  EXPECT_EQ(call.temperature, 0.5);
  EXPECT_EQ(call.top_p, 0.25);
  EXPECT_EQ(call.top_k, 3);
  EXPECT_EQ(call.min_p, 0.125);
  EXPECT_EQ(call.max_tokens, 7);
  EXPECT_EQ(call.n, 2);
  EXPECT_EQ(call.seed, UINT64_MAX);
  EXPECT_EQ(call.stop, (std::vector<std::string>{"\n", "END"}));
  EXPECT_TRUE(call.stream && call.usage_in_stream && call.log_probs);
  EXPECT_EQ(call.top_logprobs, 4);
  EXPECT_EQ(read({{"stop", "x"}}).stop, std::vector<std::string>{"x"});
}

TEST(CompletionRequest, HasAnswersToChooseFrom) {
  const std::vector<std::string> yes_or_no{"yes", "no"};
  EXPECT_EQ(read({{"response_format", {{"type", "choices"}, {"choices", yes_or_no}}}}).choices, yes_or_no);
  EXPECT_EQ(read({{"structured_outputs", {{"choice", yes_or_no}}}}).choices, yes_or_no);
  const auto by_schema = [](const json& schema) {
    return read({{"response_format", {{"type", "json_schema"}, {"json_schema", {{"name", "a"}, {"schema", schema}}}}}})
        .choices;
  };
  EXPECT_EQ(by_schema({{"enum", yes_or_no}}), (std::vector<std::string>{"\"yes\"", "\"no\""}));
  EXPECT_EQ(
      by_schema(json::parse(R"({"type": "object", "properties": {"a": {"enum": ["x", 2]}, "b": {"const": true}}})")),
      (std::vector<std::string>{R"({"a": "x", "b": true})", R"({"a": 2, "b": true})"}));
  EXPECT_TRUE(read({{"response_format", {{"type", "text"}}}}).choices.empty());
}

TEST(CompletionRequest, JoinsTextsAndKeepsPicturesInOrder) {
  const auto call = read_completion_request(R"({"model": "tiny", "messages": [
    {"role": "system", "content": [{"type": "text", "text": "Be "}, {"type": "text", "text": "kind."}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,YWI="}},
                                 {"type": "text", "text": "What is it?"},
                                 {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,Y2Rl"}}]}]})");
  EXPECT_EQ(call.messages[0].dump(), R"({"role":"system","content":"Be kind."})");
  EXPECT_EQ(call.messages[1]["content"].dump(),
            R"([{"type":"image"},{"type":"text","text":"What is it?"},{"type":"image"}])");
  EXPECT_EQ(call.pictures, (std::vector<std::string>{"ab", "cde"}));
}

// A client must not make the server read local files or fetch URLs (server-side request forgery).
TEST(CompletionRequest, OpensNoFileAndNoAddress) {
  for (const char* url : {"/etc/passwd", "file:///etc/passwd", "http://127.0.0.1/x.png", "data:text/plain;base64,YWI=",
                          "data:image/png;base64,YW", "data:image/png;base64,Y=I=", "data:image/png;base64,"}) {
    const json part = {{"type", "image_url"}, {"image_url", {{"url", url}}}};
    EXPECT_EQ(refused({{"messages", {{{"role", "user"}, {"content", json::array({part})}}}}}),
              "messages[0]: a picture must be data:image/png;base64,... or data:image/jpeg;base64,...")
        << url;
  }
  const json part = {{"type", "image"}, {"image", "/etc/passwd"}};
  EXPECT_EQ(
      refused({{"messages", {{{"role", "user"}, {"content", json::array({part})}}}}}),
      "messages[0]: has a part {\"type\":\"image\",\"image\":\"/etc/passwd\"}, which is neither text nor image_url");
}

TEST(CompletionRequest, SaysWhatIsWrong) {
  EXPECT_EQ(refused({{"temprature", 1}}).substr(0, 62),
            "unknown field 'temprature'; did you mean 'temperature'? known:");
  EXPECT_EQ(refused({{"temperature", -1}}), "temperature: is -1, but must be from 0 to 100");
  EXPECT_EQ(refused({{"temperature", "hot"}}), "temperature: is \"hot\", not a number");
  EXPECT_EQ(refused({{"max_tokens", 0}}), "max_tokens: is 0, but must be from 1 to 2147483647");
  EXPECT_EQ(refused({{"max_tokens", 1.5}}), "max_tokens: is 1.5, not a whole number");
  EXPECT_EQ(refused({{"seed", UINT64_MAX}}).substr(0, 30), "seed: is 18446744073709551615,");
  EXPECT_EQ(refused({{"n", 129}}), "n: is 129, but must be from 1 to 128");
  EXPECT_EQ(refused({{"stream", 1}}), "stream: is 1, not true or false");
  EXPECT_EQ(refused({{"stop", {""}}}), "stop: contains a string of 0 bytes, but each must have 1 to 4096");
  EXPECT_EQ(refused({{"top_logprobs", 2}}), "top_logprobs: requires \"logprobs\": true");
  EXPECT_EQ(refused({{"tools", {{{"type", "function"}}}}}), "tools: is not supported");
  EXPECT_EQ(refused({{"frequency_penalty", 0.5}}), "frequency_penalty: is not supported");
  EXPECT_EQ(refused({{"response_format", {{"type", "json_object"}}}}),
            "response_format: type \"json_object\" is not supported; use text, choices or json_schema");
  EXPECT_EQ(
      refused({{"response_format", {{"type", "json_schema"}, {"json_schema", {{"schema", {{"type", "string"}}}}}}}}),
      "response_format: only schemas with a small set of answers are supported: enum, const, or an object of such "
      "properties");
  EXPECT_EQ(refused({{"messages", json::array()}}), "messages: must be a list of 1 to 4096 messages");
  EXPECT_EQ(refused({{"messages", {{{"role", "user"}}}}}), "messages[0]: has no content");
  EXPECT_EQ(refused({{"messages", {{{"role", "assistant"}, {"content", "x"}, {"tool_calls", {1}}}}}}),
            "messages[0]: tool_calls is not supported");
  EXPECT_EQ(std::string(refusal_of(R"({"model": "tiny"})").what()), "messages: is missing");
  EXPECT_EQ(std::string(refusal_of("{").what()).substr(0, 31), "the body is not valid JSON: par");
  EXPECT_EQ(std::string(refusal_of("[]").what()).substr(0, 8), "the body");
}

TEST(CompletionRequest, BoundsNamesAndTheNumberOfValues) {
  const std::string megabyte(1 << 20, 'a');
  EXPECT_EQ(refused({{"messages", {{{"role", megabyte}, {"content", "x"}}}}}),
            "messages[0].role: has 1048576 bytes, more than the limit of 256");
  EXPECT_EQ(refused({{"messages", {{{"role", "user"}, {"name", megabyte}, {"content", "x"}}}}}),
            "messages[0].name: has 1048576 bytes, more than the limit of 256");
  EXPECT_EQ(refused({{"model", megabyte}}), "model: has 1048576 bytes, more than the limit of 256");
  EXPECT_EQ(refused({{"stop", megabyte}}), "stop: contains a string of 1048576 bytes, but each must have 1 to 4096");
  std::string lists = R"({"metadata": [)";
  for (int i = 0; i < 300'000; ++i) lists += "[],";
  EXPECT_EQ(std::string(refusal_of(lists + "0]}").what()), "the body contains more than 262144 values");
  EXPECT_EQ(read({{"user", std::string(300'000, ',') + "\"[{"}}).model, "tiny");
}

TEST(CompletionRequest, BoundsWhatASchemaMayMultiplyTo) {
  json properties = json::object(), values = json::array();
  for (int i = 0; i < 40; ++i) values.push_back(i);
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) properties[name] = {{"enum", values}};
  EXPECT_EQ(refused({{"response_format",
                      {{"type", "json_schema"}, {"json_schema", {{"schema", {{"properties", properties}}}}}}}}),
            "response_format: allows more than 1024 answers, or an answer longer than 4096 bytes");
}

TEST(HttpError, IsWhatOpenAisClientsRead) {
  EXPECT_EQ(
      HttpError(404, "no model \"x\"", "model", "model_not_found").body(),
      R"({"error":{"message":"no model \"x\"","type":"invalid_request_error","param":"model","code":"model_not_found"}})");
  EXPECT_EQ(HttpError(401, "no").body(),
            R"({"error":{"message":"no","type":"authentication_error","param":null,"code":null}})");
}

const TokenLogprob y{"Y", -0.5f, {{"Y", -0.5f}, {"\xc3", -1.0f}}};
const CompletionDelta yes{0, "Yes", json_of(y) + "," + json_of(y), "stop"};

TEST(AnswerFormat, IsAChatCompletion) {
  EXPECT_EQ(
      AnswerFormat("id", 7, "tiny", false).whole({{0, "Yes", {}, "stop"}, {1, "N", {}, "length"}}, {5, 2, 3}),
      R"({"id":"id","object":"chat.completion","created":7,"model":"tiny","choices":[)"
      R"({"index":0,"message":{"role":"assistant","content":"Yes","refusal":null},"logprobs":null,"finish_reason":"stop"},)"
      R"({"index":1,"message":{"role":"assistant","content":"N","refusal":null},"logprobs":null,"finish_reason":"length"}],)"
      R"("usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8,"prompt_tokens_details":{"cached_tokens":2}}})");
}

TEST(AnswerFormat, TellsHowLikelyTokensWere) {
  const auto whole = nlohmann::json::parse(AnswerFormat("id", 7, "tiny", true).whole({yes}, {}));
  const auto& content = whole["choices"][0]["logprobs"]["content"];
  ASSERT_EQ(content.size(), 2u);
  EXPECT_EQ(content[1].dump(), R"({"bytes":[89],"logprob":-0.5,"token":"Y","top_logprobs":[)"
                               R"({"bytes":[89],"logprob":-0.5,"token":"Y"},)"
                               R"({"bytes":[195],"logprob":-1.0,"token":")"
                               "\xef\xbf\xbd"
                               R"("}]})");
}

TEST(AnswerFormat, IsAlsoAStreamOfChunks) {
  const AnswerFormat format("id", 7, "tiny", false);
  const std::string head = R"({"id":"id","object":"chat.completion.chunk","created":7,"model":"tiny","choices":[)";
  EXPECT_EQ(format.opening(1),
            head + R"({"index":1,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]})");
  EXPECT_EQ(format.chunk({0, "Y", {}, ""}),
            head + R"({"index":0,"delta":{"content":"Y"},"logprobs":null,"finish_reason":null}]})");
  EXPECT_EQ(format.chunk({0, "", {}, "stop"}),
            head + R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]})");
  EXPECT_EQ(
      format.usage({5, 0, 3}),
      head +
          R"(],"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8,"prompt_tokens_details":{"cached_tokens":0}}})");
}

}  // namespace
}  // namespace compeer::serve
