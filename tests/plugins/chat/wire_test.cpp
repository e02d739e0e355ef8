#include "openai/wire.h"

#include <gtest/gtest.h>

#include "places.h"

namespace compeer::openai {

namespace {

std::string broken(const std::string& body) { return read(body).broken; }

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
  EXPECT_EQ(broken("[1]"), "it is no JSON but '[1]'");
  EXPECT_EQ(broken("{}"), "it has no answer in it");
  EXPECT_EQ(broken(R"({"choices":[]})"), "it has no answer in it");
  EXPECT_EQ(broken(R"({"error":{"message":"busy"}})"), "it says: busy");
  EXPECT_EQ(broken(R"({"error":"busy"})"), "it says: busy");
  EXPECT_EQ(broken(R"({"error":[[]]})"), "it says: an error without a message");
  EXPECT_TRUE(broken(R"({"choices":7})").starts_with("its JSON is damaged: ")) << broken(R"({"choices":7})");
  EXPECT_TRUE(broken(R"({"choices":[{"message":{"content":5}}]})").starts_with("its JSON is damaged: "));
  EXPECT_TRUE(broken("{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}").starts_with("its JSON is damaged: "));
  EXPECT_EQ(broken("<" + std::string(5000, 'x')).size(), std::string("it is no JSON but ''").size() + 60);
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
  EXPECT_EQ(broken("<\xff\x1b[31m"), "it is no JSON but '<? [31m'");
  EXPECT_EQ(broken("{\"choices\":[{\"message\":{\"content\":\"\xff").find('\xff'), std::string::npos);
  EXPECT_EQ(broken(R"({"choices":)" + std::string(1'000'000, '[')), "its JSON nests too deeply");
}

TEST(Wire, ReadsEventsWithAnyLineEnd) {
  const std::string a = R"(data: {"choices":[{"delta":{"role":"assistant"}}]})",
                    b = R"(data:{"choices":[{"delta":{"content":"x"},"finish_reason":"length"}]})";
  for (const char* end : {"\n", "\r\n", "\r"}) {
    const auto received = read(": hi" + std::string(end) + end + "event: m" + end + a + end + end + b + end + end);
    EXPECT_EQ(received.broken, "");
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

}  // namespace

}  // namespace compeer::openai
