#include "serve/answer.h"

#include <gtest/gtest.h>

namespace compeer::serve {
namespace {

const ToldToken y{"Y", -0.5f, {{"Y", -0.5f}, {"\xc3", -1.0f}}};
const Said yes{0, "Yes", json_of(y) + "," + json_of(y), "stop"};

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
