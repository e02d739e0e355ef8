// compeer serve, called by HTTP clients.
#include <map>
#include <thread>
#include <vector>

#include "../seeing_model.h"
#include "asker.h"
#include "base/data_uri.h"
#include "raw_client.h"
#include "serving.h"

namespace compeer::serve {
namespace {

using nlohmann::json;

json question(const json& more = {}) {
  json body{{"model", "tiny"}, {"messages", {{{"role", "user"}, {"content", "I feel alone."}}}}, {"max_tokens", 12}};
  if (more.is_object()) body.update(more);
  return body;
}

class Served : public Serving {
 protected:
  std::string all(const std::string& request) {
    RawClient client(port);
    client.send(request);
    return client.all();
  }
  // Returns status and message of the error that answers the request.
  std::string refused(const std::string& request) {
    const auto text = all(request);
    const auto body = text.find("\r\n\r\n");
    if (body == std::string::npos) return "nothing: " + text;
    return text.substr(9, 4) + json::parse(text.substr(body + 4)).at("error").at("message").get<std::string>();
  }
  static std::string ask(const json& body, const std::string& headers = "Connection: close\r\n") {
    return post("/v1/chat/completions", body.dump(), headers);
  }
  json answered(const json& more = {}) {
    const auto text = all(ask(question(more)));
    const auto body = text.find("\r\n\r\n");
    EXPECT_NE(body, std::string::npos) << text;
    return json::parse(text.substr(body + 4));
  }
  json settings(const json& more = {}) {
    json all{{"plugin", "openai"}, {"url", address}, {"name", "tiny"}, {"key_env", "NO_KEY_HERE"}, {"retries", 0}};
    if (more.is_object()) all.update(more);
    return all;
  }
};

// `compeer generate` gives the same tokens and log-probabilities.
TEST_F(Served, SaysWhatGenerateSays) {
  write("in.jsonl", json{{"messages", question().at("messages")}}.dump() + "\n");
  const auto text = told("generate --model tiny --max-new 12 --seed 5 < in.jsonl");
  const auto expected = json::parse(text.substr(0, text.find('\n')));
  start();
  const auto said = answered({{"seed", 5}, {"logprobs", true}}).at("choices").at(0);
  EXPECT_EQ(said.at("message").at("content"), expected.at("text"));
  const auto& tokens = said.at("logprobs").at("content");
  ASSERT_EQ(tokens.size(), expected.at("logprobs").size() - (said.at("finish_reason") == "stop" ? 1 : 0));
  for (size_t i = 0; i < tokens.size(); ++i)
    EXPECT_EQ(tokens[i].at("logprob").get<float>(), expected.at("logprobs")[i].get<float>());
}

TEST_F(Served, AnswersOurOwnEndpointPlugin) {
  start();
  Asker asker;
  auto requests = Asker::questions(40);
  for (uint32_t i = 0; i < requests.size(); ++i) {
    requests[i].max_tokens = 8;
    requests[i].temperature = 1;
    requests[i].sample_index = i;
  }
  const auto replies = asker.ask(settings({{"concurrent", 16}}), requests);
  const auto one_by_one = asker.ask(settings({{"concurrent", 1}}), requests);
  const auto streamed = asker.ask(settings({{"concurrent", 16}, {"stream", true}}), requests);
  for (size_t i = 0; i < replies.size(); ++i) {
    EXPECT_EQ(replies[i].failure, "");
    EXPECT_EQ(replies[i].text, one_by_one[i].text);
    EXPECT_EQ(replies[i].text, streamed[i].text);
    EXPECT_GT(replies[i].prompt_tokens, 0);
    EXPECT_EQ(streamed[i].completion_tokens, replies[i].completion_tokens);
  }
}

TEST_F(Served, WeighsChoices) {
  start();
  ChatRequest request{.turns = {{"user", "Is it?"}}, .choices = {"True", "False"}, .want_log_probs = true};
  for (const char* format : {"choices", "json_schema"}) {
    const auto reply = Asker().ask(settings({{"response_format", format}}), {request})[0];
    EXPECT_EQ(reply.failure, "");
    ASSERT_EQ(reply.log_probs.size(), 2u) << format;
    EXPECT_NEAR(std::exp(reply.log_probs[0]) + std::exp(reply.log_probs[1]), 1, 1e-5) << format;
    const bool first = reply.log_probs[0] > reply.log_probs[1];
    EXPECT_NE(reply.text.find(first ? "True" : "False"), std::string::npos) << reply.text;
  }
}

// Concurrent requests to three models: two adapters and their base.
TEST_F(Served, AnswersWithTheAdapterThatARequestNames) {
  make_tiny_adapter(folder() / "first", folder() / "tiny", 0.1);
  make_tiny_adapter(folder() / "second", folder() / "tiny", -0.2);
  start("--adapter first=first --adapter judge=second");
  const std::map<std::string, std::string> folders{{"tiny", "tiny"}, {"first", "first"}, {"judge", "second"}};
  std::map<std::string, std::string> texts;
  std::vector<std::thread> askers;
  write("in.jsonl", json{{"messages", question().at("messages")}}.dump() + "\n");
  for (const auto& [name, model] : folders) texts[name];
  for (const auto& [name, model] : folders) {
    askers.emplace_back([this, &text = texts.at(name), name = name] {
      const auto said = answered({{"model", name}, {"seed", 5}});
      EXPECT_EQ(said.at("model"), name);
      text = said.at("choices").at(0).at("message").at("content");
    });
  }
  for (auto& asker : askers) asker.join();
  for (const auto& [name, model] : folders) {
    const auto alone = told("generate --model " + model + " --max-new 12 --seed 5 < in.jsonl");
    EXPECT_EQ(texts.at(name), json::parse(alone.substr(0, alone.find('\n'))).at("text")) << name;
    EXPECT_EQ(answered({{"model", name}, {"seed", 5}}).at("choices").at(0).at("message").at("content"), texts.at(name));
  }
  EXPECT_NE(texts.at("first"), texts.at("tiny"));
  EXPECT_NE(texts.at("first"), texts.at("judge"));
  const auto text = all(get("/v1/models", "Connection: close\r\n"));
  const auto listed = json::parse(text.substr(text.find("\r\n\r\n"))).at("data");
  std::vector<std::string> names;
  for (const auto& one : listed) names.push_back(one.at("id"));
  EXPECT_EQ(names, (std::vector<std::string>{"tiny", "first", "judge"}));
  for (const char* path : {"/v1/models/judge", "/v1/models/%6Audge"})
    EXPECT_NE(all(get(path, "Connection: close\r\n")).find("\"id\":\"judge\""), std::string::npos) << path;
  EXPECT_TRUE(refused(get("/v1/models/judge%2", "Connection: close\r\n")).starts_with("404 "));
  EXPECT_EQ(refused(ask(question({{"model", "second"}}))),
            "404 model: unknown model 'second'; 'tiny', 'first', 'judge' are served");
}

// An adapter folder's own tokenizer, template and end tokens are used, if it has them.
TEST_F(Served, SpeaksAsAnAdaptersFolderSays) {
  make_tiny_adapter(folder() / "plain", folder() / "tiny", 0.1);
  make_tiny_adapter(folder() / "own", folder() / "tiny", 0.1);
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"})
    fs::copy_file(folder() / "tiny" / name, folder() / "own" / name);
  write("own/chat_template.jinja", "{{ messages[0].content }}{{ messages[0].content }}");
  make_tiny_adapter(folder() / "ends", folder() / "tiny", 0.1);
  write("in.jsonl", json{{"messages", question().at("messages")}}.dump() + "\n");
  const auto alone = [&](const std::string& model) {
    const auto text = told("generate --model " + model + " --max-new 12 --seed 5 < in.jsonl");
    return json::parse(text.substr(0, text.find('\n')));
  };
  const int third = alone("ends").at("ids").at(2);
  write("ends/generation_config.json", json{{"eos_token_id", third}}.dump());
  start("--adapter plain=plain --adapter own=own --adapter ends=ends");
  for (const std::string model : {"plain", "own"}) {
    const auto said = answered({{"model", model}, {"seed", 5}, {"logprobs", true}}).at("choices").at(0);
    const auto expected = alone(model);
    EXPECT_EQ(said.at("message").at("content"), expected.at("text")) << model;
    EXPECT_EQ(said.at("logprobs").at("content").at(0).at("logprob").get<float>(),
              expected.at("logprobs").at(0).get<float>());
  }
  EXPECT_NE(alone("plain").at("logprobs"), alone("own").at("logprobs"));
  EXPECT_LE(answered({{"model", "ends"}, {"seed", 5}}).at("usage").at("completion_tokens"), 3);
}

TEST_F(Served, FailsTheRequestsOfADamagedAdapterAlone) {
  make_tiny_adapter(folder() / "broken", folder() / "tiny", 1e30);
  start("--adapter broken=broken");
  const auto before = answered({{"seed", 5}});
  RawClient client(port);
  client.send(ask(question({{"stream", true}, {"max_tokens", 150}, {"temperature", 3}})));
  client.until("\"content\":\"\"");
  const std::string expected =
      "500 model 'broken' computes numbers that are not finite; its weights are damaged, or training diverged";
  EXPECT_EQ(refused(ask(question({{"model", "broken"}, {"n", 2}}))), expected);
  EXPECT_NE(all(ask(question({{"model", "broken"}, {"stream", true}}))).find(expected.substr(4)), std::string::npos);
  const auto rest = client.all();
  EXPECT_NE(rest.find("data: [DONE]"), std::string::npos);
  EXPECT_EQ(rest.find("error"), std::string::npos);
  EXPECT_EQ(answered({{"seed", 5}}).at("choices"), before.at("choices"));
}

TEST_F(Served, RefusesAdaptersThatItCanNotServe) {
  make_tiny_adapter(folder() / "first", folder() / "tiny", 0.1);
  const std::string command = "serve --model tiny --port 0 --name tiny --adapter ";
  EXPECT_EQ(told(command + "judge=nowhere"),
            "compeer: error: --adapter judge=nowhere: nowhere is not a folder\nexit 4");
  EXPECT_EQ(told(command + "' '=first"),
            "compeer: error: --adapter  =first: is not a valid model name\n"
            "  help: use text without line breaks, and without leading or trailing spaces\nexit 2");
  EXPECT_EQ(told(command + "judge=first --engine libtorch"),
            "compeer: error: --adapter: can't be combined with --engine libtorch\n  help: use --engine exact\nexit 2");
  EXPECT_EQ(told(command + "tiny=first"),
            "compeer: error: --adapter tiny=first: duplicate model name 'tiny'\n"
            "  help: give each model a different name\nexit 2");
  EXPECT_EQ(told(command + "judge=tiny"),
            "compeer: error: --adapter judge=tiny: the folder contains no adapter (adapter_config.json)\nexit 4");
  make_seeing_model(folder() / "seeing");
  EXPECT_NE(told("serve --model seeing --port 0 --adapter judge=first").find("the adapter does not fit the model"),
            std::string::npos);
}

// Images as data URIs give the same result as images from files.
TEST_F(Served, ShowsPicturesToAModelThatSees) {
  make_seeing_model(folder() / "seeing");
  const auto picture = seen_picture(1);
  const auto asked = [](const json& part) {
    return json::array({{{"role", "user"}, {"content", {part, {{"type", "text"}, {"text", "What?"}}}}}});
  };
  write("in.jsonl", json{{"messages", asked({{"type", "image"}, {"image", picture}})}}.dump() + "\n");
  const auto text = told("generate --model seeing --max-new 8 --seed 5 < in.jsonl");
  start("", "", "seeing");
  const json shown = {{"type", "image_url"}, {"image_url", {{"url", data_uri(picture)}}}};
  const auto said = answered({{"model", "seeing"}, {"messages", asked(shown)}, {"max_tokens", 8}, {"seed", 5}});
  EXPECT_EQ(said.at("choices").at(0).at("message").at("content"),
            json::parse(text.substr(0, text.find('\n'))).at("text"));
}

TEST_F(Served, RefusesWhatItCanNotAnswer) {
  start();
  const std::string close = "Connection: close\r\n";
  EXPECT_EQ(refused(get("/", close)), "404 unknown path /; use /v1/chat/completions or /v1/models");
  EXPECT_EQ(refused(get("/v1/chat/completions", close)), "405 /v1/chat/completions requires POST, not GET");
  EXPECT_EQ(refused(ask(question(), close + "Origin: http://evil.example\r\n")),
            "403 requests from web pages are not allowed");
  EXPECT_EQ(
      refused(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n" +
          close + "\r\n{}"),
      "415 the body must be application/json, not 'text/plain'");
  EXPECT_EQ(refused(ask(question({{"model", "gpt"}}))), "404 model: unknown model 'gpt'; 'tiny' is served");
  const auto long_one = ask(question({{"messages", {{{"role", "user"}, {"content", std::string(3000, 'a')}}}}}));
  EXPECT_EQ(refused(long_one).substr(0, 13), "400 messages:");
  EXPECT_NE(all(long_one).find(R"("code":"context_length_exceeded")"), std::string::npos);
  EXPECT_EQ(refused(ask(question({{"messages", {{{"role", "usr"}, {"content", "a"}}}}}))),
            "400 messages: a message has the role 'usr'; did you mean 'user'?");
  const json picture = {{"type", "image_url"}, {"image_url", {{"url", "data:image/png;base64,YWI="}}}};
  EXPECT_EQ(
      refused(ask(question({{"messages", {{{"role", "user"}, {"content", json::array({picture})}}}}}))).substr(0, 62),
      "400 messages: shows a picture, but the model does not support ");
  EXPECT_EQ(answered().at("object"), "chat.completion");  // the server keeps running
}

// DNS rebinding: a web page with a host name that resolves to this machine could otherwise read answers. Its requests
// have its own host name.
TEST_F(Served, AnswersOnlyThoseWhoAskThisMachine) {
  start();
  const auto from = [](const std::string& host) {
    return "GET /v1/models HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  };
  EXPECT_EQ(
      refused(from("evil.example:8000")),
      "403 Host is 'evil.example:8000', which is not this machine; use localhost, or start the server with a token");
  for (const char* host : {"localhost:1", "127.0.0.1", "[::1]:8000"})
    EXPECT_NE(all(from(host)).find("\"id\":\"tiny\""), std::string::npos) << host;
  stop();
  start("", "COMPEER_SERVE_TOKEN=sesame");
  EXPECT_EQ(refused(from("evil.example")), "401 the token is missing or wrong");
  EXPECT_NE(all(get("/v1/models", "Connection: close\r\nAuthorization: Bearer sesame\r\n")).find("\"id\":\"tiny\""),
            std::string::npos);
}

// Its two answers would have up to 3,900 tokens each; the server prints the number of generated tokens when it ends.
TEST_F(Served, AnswersOthersWhileOneRequestIsLong) {
  make_tiny_model(folder() / "long", 4096);
  start("--concurrent 2 --name tiny", "", "long");
  {
    RawClient client(port);
    client.send(ask(question({{"stream", true}, {"n", 2}, {"max_tokens", 3900}, {"temperature", 50}})));
    client.until("\"content\":\"\"");
    EXPECT_EQ(answered().at("object"), "chat.completion");
  }
  EXPECT_EQ(answered().at("object"), "chat.completion");
  EXPECT_EQ(stop(), "exit 0");
  const auto summary = last_words();
  EXPECT_LT(std::stoi(summary.substr(summary.find("cache, ") + 7)), 2000) << summary;
}

TEST_F(Served, AsksForItsToken) {
  start("", "COMPEER_SERVE_TOKEN=sesame");
  EXPECT_EQ(refused(get("/v1/models", "Connection: close\r\n")), "401 the token is missing or wrong");
  EXPECT_EQ(refused(get("/v1/models", "Connection: close\r\nAuthorization: Bearer sesam\r\n")),
            "401 the token is missing or wrong");
  EXPECT_NE(all(get("/v1/models", "Connection: close\r\nAuthorization: Bearer sesame\r\n")).find("\"id\":\"tiny\""),
            std::string::npos);
  EXPECT_NE(all(get("/health", "Connection: close\r\n")).find("ok"), std::string::npos);
}

TEST_F(Served, ListensToOtherMachinesWithATokenOnly) {
  EXPECT_EQ(
      told("serve --model tiny --host 0.0.0.0 --port 0"),
      "compeer: error: --host: 0.0.0.0 can be reached from other machines\n"
      "  help: export COMPEER_SERVE_TOKEN=... to require this token in every request, or use --host 127.0.0.1\nexit 2");
  start("--host 0.0.0.0", "COMPEER_SERVE_TOKEN=sesame");
  EXPECT_EQ(refused(get("/v1/models", "Connection: close\r\n")), "401 the token is missing or wrong");
}

TEST_F(Served, FinishesWhatIsUnderWayWhenItIsToEnd) {
  start();
  RawClient client(port);
  client.send(ask(question({{"stream", true}, {"max_tokens", 200}, {"temperature", 3}})));
  client.until("\"content\":\"\"");
  EXPECT_EQ(stop(SIGTERM, 2), "exit 0");  // like GNU timeout
  EXPECT_NE(client.all().find("data: [DONE]"), std::string::npos);
  EXPECT_FALSE(RawClient(port).connected());
}

// The answer would have up to 3,900 tokens; the server prints the number of generated tokens when it ends.
TEST_F(Served, ForgetsWhoHasGone) {
  make_tiny_model(folder() / "long", 4096);
  start("--concurrent 1 --name tiny", "", "long");
  {
    RawClient client(port);
    client.send(ask(question({{"stream", true}, {"max_tokens", 3900}, {"temperature", 50}})));
    client.until("\"content\":\"\"");
  }
  EXPECT_EQ(answered().at("object"), "chat.completion");
  EXPECT_EQ(stop(), "exit 0");
  const auto summary = last_words();
  EXPECT_LT(std::stoi(summary.substr(summary.find("cache, ") + 7)), 2000) << summary;
}

// The default name must identify the model, because clients store answers by it.
TEST_F(Served, IsCalledByItsFilesAndArithmeticUnlessItHasAName) {
  const auto called = [&](const std::string& options = "") {
    start("--name '' " + options, "CUDA_VISIBLE_DEVICES=");
    const auto text = all(get("/v1/models", "Connection: close\r\n"));
    stop();
    return json::parse(text.substr(text.find("\r\n\r\n"))).at("data").back().at("id").get<std::string>();
  };
  const auto name = called();
  EXPECT_EQ(name.substr(0, 5), "tiny-");
  EXPECT_EQ(name.size(), 13u);
  EXPECT_EQ(called("--compute float32"), name);
  EXPECT_EQ(called("--device auto"), name);  // the name depends on the precision in use, not on the options
  EXPECT_EQ(called("--device auto --engine exact"), name);
  EXPECT_NE(called("--engine libtorch"), name);
  EXPECT_NE(called("--compute bfloat16"), name);
  EXPECT_NE(called("--dtype bfloat16"), called("--compute bfloat16"));
  make_tiny_adapter(folder() / "first", folder() / "tiny", 0.1);
  const auto adapter = called("--adapter first");
  EXPECT_EQ(adapter.substr(0, 6), "first-");
  EXPECT_EQ(called("--adapter first --device auto"), adapter);
  EXPECT_TRUE(told("serve --model tiny --adapter first --device cuda")
                  .starts_with("compeer: error: --adapter: can't be combined with --device cuda\n"));
  EXPECT_NE(called("--adapter first --compute bfloat16"), adapter);
  write("tiny/README.md", "another");
  EXPECT_NE(called(), name);
}

TEST_F(Served, NamesWhatIsWrongBeforeItListens) {
  EXPECT_TRUE(told("serve --model nothing").ends_with("exit 4"));
  EXPECT_TRUE(told("serve --model " COMPEER_SOURCE_DIR "/tests/golden/text_tied --port 0").ends_with("exit 4"));
  start();
  EXPECT_EQ(told("serve --model tiny --port " + std::to_string(port)),
            "compeer: error: 127.0.0.1:" + std::to_string(port) +
                ": can't listen on this address: Address already in use\n"
                "  help: use --port 0 for any free port\nexit 1");
}

}  // namespace
}  // namespace compeer::serve
