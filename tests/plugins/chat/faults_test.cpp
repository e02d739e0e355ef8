// Connections: reuse and encryption.
#include <openssl/ssl.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "asker.h"
#include "base/random.h"

namespace compeer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using server::Seen;
using server::Server;
using server::Wire;

TEST(Connections, AreUsedAgain) {
  Server server([](const Seen& seen) { return server::answer_and_stay("re: " + server::asked(seen)); });
  const auto replies = Asker().ask(Asker::openai(server, {{"concurrent", 1}}), Asker::questions(30));
  EXPECT_EQ(replies[29].text, "re: question 29");
  EXPECT_EQ(server.requests(), 30u);
  EXPECT_EQ(server.connections(), 1u);
}

TEST(Connections, AreNoMoreThanRequestsAtOnce) {
  Server server([](const Seen&) { return server::answer_and_stay("fine"); });
  Asker().ask(Asker::openai(server, {{"concurrent", 4}}), Asker::questions(40));
  EXPECT_EQ(server.requests(), 40u);
  EXPECT_LE(server.connections(), 4u);
}

TEST(Connections, AreMadeAnewWhereTheEndpointClosedThem) {
  // Every third answer offers to keep the connection open, but the server then closes it.
  Server server([](const Seen& seen) {
    auto act = server::answer_and_stay("fine");
    act.keep = seen.number % 3 != 2;
    return act;
  });
  for (const auto& reply : Asker().ask(Asker::openai(server, {{"concurrent", 1}}), Asker::questions(12)))
    EXPECT_EQ(reply.text, "fine") << reply.failure;
  EXPECT_GE(server.connections(), 4u);
}

using ServerSide = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;

class Encrypted : public Wire {
 public:
  Encrypted(int socket, Session session) : Wire(socket), session_(std::move(session)) {}
  ssize_t receive(char* data, size_t size) override { return SSL_read(session_.get(), data, static_cast<int>(size)); }
  ssize_t send(const char* data, size_t size) override {
    return SSL_write(session_.get(), data, static_cast<int>(size));
  }
  bool holds() override { return SSL_has_pending(session_.get()) != 0; }

 private:
  Session session_;
};

/// A key and a self-signed certificate for one name.
class Tls : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("openssl version >/dev/null 2>&1") != 0) GTEST_SKIP() << "the program openssl is not installed";
    std::signal(SIGPIPE, SIG_IGN);  // a client that disconnects must be an error of SSL_write, not a signal
    folder_ = fs::path(testing::TempDir()) / ("tls_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  void certify(const std::string& name) const {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        " -subj /CN=test -addext subjectAltName=" +
        name + " -keyout '" + file("key.pem") + "' -out '" + file("certificate.pem") + "' 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  Server::Wrap wrap() {
    side_.reset(SSL_CTX_new(TLS_server_method()));
    EXPECT_EQ(SSL_CTX_use_certificate_file(side_.get(), file("certificate.pem").c_str(), SSL_FILETYPE_PEM), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(side_.get(), file("key.pem").c_str(), SSL_FILETYPE_PEM), 1);
    return [this](int fd) -> std::unique_ptr<Wire> {
      Session session(SSL_new(side_.get()), SSL_free);
      SSL_set_fd(session.get(), fd);
      const bool agreed = SSL_accept(session.get()) == 1;
      auto wire = std::make_unique<Encrypted>(fd, std::move(session));
      return agreed ? std::move(wire) : nullptr;
    };
  }

  // Returns the error of a client that rejects the certificate. No request may have been sent, and none retried.
  Error refusal(const json& more) {
    Server server([](const Seen&) { return server::answer("never"); }, wrap());
    json settings = Asker::openai(server, more);
    settings["url"] = server.url("https");
    Asker asker;
    const Error error = error_of([&] { asker.ask(settings, "q"); });
    EXPECT_EQ(error.exit(), Exit::plugin);
    EXPECT_NE(error.problem().find(server.url("https")), std::string::npos) << error.what();
    EXPECT_EQ(error.help(), "to trust your own certificate, set 'authorities' to its file");
    EXPECT_EQ(server.requests(), 0u);
    EXPECT_LE(server.connections(), 1u);
    return error;
  }

  ServerSide side_{nullptr, SSL_CTX_free};

 private:
  fs::path folder_;
};

TEST_F(Tls, AnEndpointIsTrustedThatAuthoritiesVouchFor) {
  certify("IP:127.0.0.1");
  Server server([](const Seen& seen) { return server::answer_and_stay("re: " + server::asked(seen)); }, wrap());
  json settings = Asker::openai(server, {{"authorities", file("certificate.pem")}, {"concurrent", 1}});
  settings["url"] = server.url("https");
  const auto replies = Asker().ask(settings, Asker::questions(10));
  EXPECT_EQ(replies[9].text, "re: question 9");
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(Tls, ACertificateNobodyVouchesForIsRefused) {
  certify("IP:127.0.0.1");
  const auto error = refusal({});
  EXPECT_NE(error.problem().find("SSL certificate problem: self-signed certificate"), std::string::npos)
      << error.what();
}

TEST_F(Tls, ACertificateOfAnotherNameIsRefused) {
  certify("DNS:elsewhere.example");
  const auto error = refusal({{"authorities", file("certificate.pem")}});
  EXPECT_NE(error.problem().find("127.0.0.1"), std::string::npos) << error.what();
}

TEST_F(Tls, AFileWithoutCertificatesIsNamed) {
  certify("IP:127.0.0.1");
  const auto error = refusal({{"authorities", file("key.pem")}});
  EXPECT_NE(error.problem().find(file("key.pem")), std::string::npos) << error.what();
}

// Endpoints that are busy, down, slow, broken or hostile.

using server::Act;

Act cut_mid_body() {
  const auto whole = server::response(200, server::answer_body("never whole"));
  return server::send(whole.substr(0, whole.size() - 20));
}
Act broken_json() { return server::send(server::response(200, R"({"choices": [{"message": {"content": "x)")); }
Act wrong_type() { return server::send(server::response(200, "<html><body>Log in first</body></html>")); }
Act never() { return {.pieces = {}, .hang = true}; }
Act stalls() { return {.pieces = {"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{\"cho"}, .hang = true}; }
Act cut_stream() {
  return server::send(
      "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n");
}
Act stream_with_error() {
  return server::send(
      "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"h\"}}]}\n\n"
      "data: {\"error\":{\"message\":\"overloaded\"}}\n\n");
}

// Sends one request to a server that plays `acts` in order and then answers normally; returns the reply.
ChatReply after(std::vector<Act> acts, const json& more = {}, size_t* requests = nullptr) {
  Server server(
      [&](const Seen& seen) { return seen.number < acts.size() ? acts[seen.number] : server::answer("fine"); });
  auto reply = Asker().ask(Asker::openai(server, more), "q");
  if (requests) *requests = server.requests();
  return reply;
}

TEST(OpenAiFaults, AreTriedAgainIfTheyMayPass) {
  const std::map<std::string, Act> faults{{"408", server::fail(408, "x")},
                                          {"409", server::fail(409, "x")},
                                          {"425", server::fail(425, "x")},
                                          {"429", server::fail(429, "x")},
                                          {"500", server::fail(500, "x")},
                                          {"502", server::fail(502, "x")},
                                          {"503", server::fail(503, "x")},
                                          {"cut", cut_mid_body()},
                                          {"broken JSON", broken_json()},
                                          {"wrong type", wrong_type()},
                                          {"closed", Act{}},
                                          {"cut stream", cut_stream()},
                                          {"an error in a stream", stream_with_error()}};
  for (const auto& [name, fault] : faults) {
    size_t requests = 0;
    const auto reply = after({fault, fault}, {}, &requests);
    EXPECT_EQ(reply.text, "fine") << name;
    EXPECT_EQ(requests, 3u) << name;
  }
}

TEST(OpenAiFaults, EndInAReplyThatSaysWhy) {
  const auto why = [](const Act& act, const json& more = {}) {
    json settings{{"retries", 1}};
    if (more.is_object()) settings.update(more);
    return after(std::vector(9, act), settings).failure;
  };
  EXPECT_EQ(why(server::fail(429, "slow down")), "HTTP 429: slow down (2 tries)");
  EXPECT_EQ(why(server::fail(500, "oops")), "HTTP 500: oops (2 tries)");
  EXPECT_EQ(why(wrong_type()), "invalid answer: it is an HTML page: 'Log in first' (2 tries)");
  EXPECT_TRUE(why(broken_json()).starts_with("invalid answer: its JSON is invalid: ")) << why(broken_json());
  EXPECT_EQ(why(cut_stream()), "invalid answer: the stream was cut off (2 tries)");
  EXPECT_EQ(why(stream_with_error()), "invalid answer: it reports: overloaded (2 tries)");
  EXPECT_EQ(why(Act{}), "Empty reply from server (2 tries)");
  EXPECT_NE(why(cut_mid_body()).find("transfer closed with 20 bytes remaining"), std::string::npos);
  EXPECT_NE(why(never(), {{"timeout", 0.03}}).find("timed out"), std::string::npos);
  EXPECT_EQ(why(stalls(), {{"stall_timeout", 0.02}}), "no more data of the answer for 20 ms (2 tries)");
}

TEST(OpenAiFaults, AreNotTriedAgainIfTheyStay) {
  size_t requests = 0;
  EXPECT_EQ(after({server::fail(400, "too long")}, {}, &requests).failure, "HTTP 400: too long");
  EXPECT_EQ(requests, 1u);
  EXPECT_EQ(after({server::fail(422, "no")}).failure, "HTTP 422: no");
  const std::string long_prompt =
      "'max_tokens' or 'max_completion_tokens' is too large: 512";  // vLLM's error about a single request
  EXPECT_EQ(after({server::fail(400, long_prompt)}).failure, "HTTP 400: " + long_prompt);
  EXPECT_EQ(
      after({server::send(server::response(200, R"({"choices":[{"message":{"content":null,"refusal":"No."}}]})"))})
          .failure,
      "the model refused: No.");
  EXPECT_EQ(after({server::send(server::response(200, server::answer_body("", "content_filter")))}).failure,
            "the endpoint's content filter blocked the answer");
}

TEST(OpenAiFaults, EndTheRunIfEveryRequestWouldHaveThem) {
  const auto error = [](const Act& act) { return error_of([&] { after({act}); }); };
  const auto denied = error(server::fail(401, "no key"));
  EXPECT_NE(denied.problem().find("/v1: HTTP 401: no key"), std::string::npos) << denied.what();
  EXPECT_EQ(denied.help(), "set the environment variable NO_KEY_HERE to your key");
  EXPECT_EQ(denied.exit(), Exit::plugin);
  EXPECT_NE(error(server::fail(403, "x")).problem().find("HTTP 403"), std::string::npos);
  const auto missing = error(server::fail(404, "model not found"));
  EXPECT_TRUE(missing.help().starts_with("'url' must be the part before /chat/completions")) << missing.help();
  const auto sent_away = error(server::send(server::response(302, "", "Location: http://127.0.0.1:1/\r\n")));
  EXPECT_NE(sent_away.problem().find("HTTP 302"), std::string::npos);
  EXPECT_EQ(sent_away.help(), "set 'url' to the address it redirects to: redirects are not followed");
}

// Every request of the run would be refused for the same reason.
TEST(OpenAiFaults, EndTheRunAtAFieldThatTheEndpointDoesNotTake) {
  const auto refused = [](int status, const json& body, const json& more = {}) {
    return error_of([&] { after({server::send(server::response(status, body.dump()))}, more); });
  };
  const json limit{{"error",
                    {{"message",
                      "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                      "'max_completion_tokens' instead."},
                     {"code", "unsupported_parameter"},
                     {"param", "max_tokens"}}}};
  const auto error = refused(400, limit);
  EXPECT_NE(error.problem().find("HTTP 400: Unsupported parameter: 'max_tokens'"), std::string::npos) << error.what();
  EXPECT_EQ(error.help(), "set limit_field = \"max_completion_tokens\" in the settings of the chat model");
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(refused(400, {{"error", {{"message", "use max_completion_tokens"}}}}).help(), error.help());
  EXPECT_EQ(
      refused(422, {{"message", "unknown field 'max_completion_tokens'"}}, {{"limit_field", "max_completion_tokens"}})
          .help(),
      "set limit_field = \"max_tokens\" in the settings of the chat model");
  const json seed{{"detail", {{{"type", "extra_forbidden"}, {"loc", {"body", "seed"}}}}}};
  EXPECT_EQ(refused(422, seed).help(), "set omit = [\"seed\"] in the settings of the chat model");
  const json temperature{{"error", {{"message", "temperature does not support 0"}, {"param", "temperature"}}}};
  EXPECT_EQ(refused(400, temperature).help(), "set omit = [\"temperature\"] in the settings of the chat model");
  EXPECT_EQ(refused(400, {{"error", {{"message", "unknown field `top_k`"}}}}, {{"extra", {{"top_k", 3}}}}).help(),
            "remove 'top_k' from 'extra' in the settings of the chat model");
}

TEST(OpenAiFaults, EndTheRunOnceTheAccountHasNoCredit) {
  const auto spent = [](int status, const std::string& code) {
    const json body{{"error", {{"message", "You exceeded your current quota"}, {"code", code}}}};
    return error_of([&] { after({server::send(server::response(status, body.dump()))}); });
  };
  EXPECT_NE(spent(429, "insufficient_quota").problem().find("HTTP 429: You exceeded your current quota"),
            std::string::npos);
  const std::string help =
      "add credit to the account, or set NO_KEY_HERE to another key; then resume: stored answers are reused";
  EXPECT_EQ(spent(429, "insufficient_quota").help(), help);
  EXPECT_EQ(spent(402, "").help(), help);
}

TEST(OpenAiFaults, EndTheRunIfTooManyRequestsFailInARow) {
  Server server([](const Seen& seen) { return seen.number < 4 ? server::answer("a") : server::fail(500, "down"); });
  Asker asker;
  size_t arrived = 0;
  const auto error = error_of([&] {
    asker.chat(Asker::openai(server, {{"retries", 0}, {"give_up", 3}, {"concurrent", 1}}))
        .answer(Asker::questions(50), [&](size_t, const ChatReply&) { ++arrived; });
  });
  EXPECT_NE(error.problem().find("3 consecutive requests failed, the last: HTTP 500: down (1 tries)"),
            std::string::npos)
      << error.what();
  EXPECT_EQ(arrived, 7u) << "four good ones, three failures";
  EXPECT_EQ(error.help(),
            "check the endpoint, then resume: stored answers are reused; 'give_up' sets how many consecutive failures "
            "end a run");
  Server page([](const Seen&) { return wrong_type(); });
  const auto elsewhere = error_of([&] {
    asker.ask(Asker::openai(page, {{"retries", 0}, {"give_up", 1}, {"concurrent", 1}}), Asker::questions(2));
  });
  EXPECT_TRUE(elsewhere.help().starts_with("'url' must be the part before /chat/completions")) << elsewhere.help();
}

TEST(OpenAiFaults, StopAtAnswersThatAreTooLarge) {
  Act flood{.pieces = {"HTTP/1.1 200 OK\r\n\r\n", std::string(1 << 20, 'x')}, .endless = true};
  EXPECT_EQ(after({flood}).failure, "the answer is larger than 16777216 bytes");
}

TEST(OpenAiFaults, MakeOthersWaitToo) {
  using Time = std::chrono::steady_clock;
  std::vector<Time::time_point> times;
  Server server([&](const Seen& seen) {
    times.push_back(Time::now());
    return seen.number == 0 ? server::fail(429, "wait", "retry-after-ms: 60\r\n") : server::answer("a");
  });
  Asker().ask(Asker::openai(server, {{"concurrent", 1}, {"backoff_max", 1}}), Asker::questions(3));
  ASSERT_EQ(times.size(), 4u);
  EXPECT_GE(times[1] - times[0], std::chrono::milliseconds(55)) << "nobody asks before";
}

TEST(OpenAiFaults, AreToldInTheLog) {
  Server server([&](const Seen& seen) { return seen.number < 2 ? server::fail(429, "x") : server::answer("a"); });
  Asker asker;
  asker.ask(Asker::openai(server), "q");
  asker.open();
  EXPECT_EQ(asker.log,
            Asker::opening(server) +
                "chat/openai: tiny: 1 requests, 3 tries (HTTP 429: 2), 0 failed; 10 tokens asked, 3 answered\n");
}

TEST(OpenAiFaults, AreToldWithTheFirstFewReasonsIfTheyStay) {
  Server server([&](const Seen& seen) { return server::fail(400, "no " + std::to_string(seen.number / 2)); });
  Asker asker;
  asker.ask(Asker::openai(server, {{"concurrent", 1}}), Asker::questions(10));
  EXPECT_EQ(asker.log, Asker::opening(server) +
                           "chat/openai: tiny: no answer to a request: HTTP 400: no 0\n"
                           "chat/openai: tiny: no answer to a request: HTTP 400: no 1\n"
                           "chat/openai: tiny: no answer to a request: HTTP 400: no 2\n");
}

TEST(OpenAiFaults, LeaveEveryRequestAnsweredOnce) {
  const std::vector<Act> faults{server::fail(500, "x"), server::fail(429, "x", "Retry-After: 0\r\n"),
                                cut_mid_body(),         broken_json(),
                                wrong_type(),           Act{},
                                cut_stream(),           stalls()};
  for (uint32_t seed = 0; seed < 4; ++seed) {
    Server server([&](const Seen& seen) {
      const auto draw = below(2 * faults.size(), seed, Stream::choice, static_cast<uint32_t>(seen.number));
      return draw < faults.size() ? faults[draw] : server::answer("re: " + server::asked(seen));
    });
    Asker asker;
    const auto replies = asker.ask(Asker::openai(server, {{"retries", 40}, {"stall_timeout", 0.02}, {"concurrent", 8}}),
                                   Asker::questions(60));
    for (size_t i = 0; i < replies.size(); ++i) EXPECT_EQ(replies[i].text, "re: question " + std::to_string(i));
    EXPECT_EQ(asker.counts.asked, 60);
    EXPECT_EQ(asker.counts.failed, 0);
  }
}

TEST(OpenAiFaults, EndSoonWhenTheRunIsStopped) {
  std::atomic<bool> stop = false;
  Server server([&](const Seen& seen) {
    if (seen.number < 2) return server::answer("a");
    stop = true;
    return never();
  });
  Asker asker;
  asker.services.cancelled = [&] { return stop.load(); };
  size_t arrived = 0;
  const auto error = error_of([&] {
    asker.chat(Asker::openai(server, {{"concurrent", 1}})).answer(Asker::questions(9), [&](size_t, const ChatReply&) {
      ++arrived;
    });
  });
  EXPECT_EQ(error.exit(), Exit::preempted);
  EXPECT_EQ(error.problem(), "interrupted before all requests were answered");
  EXPECT_EQ(arrived, 2u);
}

TEST(OpenAiFaults, NameAnEndpointThatIsNotThere) {
  std::string url;
  {
    url = Server([](const Seen&) { return Act{}; }).url();
  }  // its port is free again
  Asker asker;
  const auto settings = json{{"plugin", "openai"}, {"url", url},   {"name", "tiny"},          {"retries", 1},
                             {"backoff", 0.001},   {"give_up", 0}, {"key_env", "NO_KEY_HERE"}};
  const auto reply = asker.ask(settings, "q");
  EXPECT_NE(reply.failure.find("Failed to connect to 127.0.0.1 port"), std::string::npos) << reply.failure;
  auto once = settings;
  once["give_up"] = once["concurrent"] = 1;
  EXPECT_TRUE(error_of([&] { asker.ask(once, Asker::questions(2)); })
                  .help()
                  .starts_with("start the endpoint, or correct 'url'"));
}

}  // namespace
}  // namespace compeer
