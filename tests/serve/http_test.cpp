#include "serve/http.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

#include "base/error.h"
#include "raw_client.h"

namespace compeer::serve {
namespace {

// A server that replies with a summary of each request; the responses to /later are kept for the test.
class Http : public testing::Test {
 protected:
  void start(const HttpLimits& limits = {}) {
    server = std::make_unique<HttpServer>("127.0.0.1", uint16_t{0}, limits);
    const auto url = server->url();
    port = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    server->start(gate, [this](HttpRequest request, std::shared_ptr<Response> response) {
      if (request.path == "/later") {
        kept.set_value(response);
      } else {
        response->send(200, request.method + " " + request.path + " " + request.body);
      }
    });
  }

  static std::string body(const std::string& response) {
    const auto end = response.find("\r\n\r\n");
    return end == std::string::npos ? "" : response.substr(end + 4);
  }
  static std::string status(const std::string& response) { return response.substr(9, 3); }

  HttpServer::Gate gate = [](const HttpRequest&) { return std::nullopt; };
  std::unique_ptr<HttpServer> server;
  uint16_t port = 0;
  std::promise<std::shared_ptr<Response>> kept;
};

TEST_F(Http, AnswersSeveralRequestsOfOneConnection) {
  start();
  RawClient client(port);
  client.send(post("/a?b=c", "one") + get("/d"));
  const auto text = client.until("GET /d ");
  EXPECT_NE(text.find("POST /a one"), std::string::npos) << text;
  EXPECT_NE(text.find("GET /d "), std::string::npos) << text;
  EXPECT_EQ(status(text), "200");
}

TEST_F(Http, ReadsABodyInChunks) {
  start();
  RawClient client(port);
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
  client.send("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(body(client.all()), "POST /a abcde");
}

// An unknown encoding has an unknown length, so the following bytes could be read as a second request (request
// smuggling).
TEST_F(Http, RefusesEncodingsThatItDoesNotKnow) {
  start();
  for (const char* fields :
       {"Transfer-Encoding: gzip\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"}) {
    RawClient client(port);
    client.send("POST /a HTTP/1.1\r\nHost: x\r\n" + std::string(fields) + "\r\n3\r\nabc\r\n0\r\n\r\n" + get("/b"));
    const auto text = client.all();
    EXPECT_EQ(status(text), "501") << fields;
    EXPECT_EQ(body(text), R"({"error":{"message":"the only supported Transfer-Encoding is chunked",)"
                          R"("type":"invalid_request_error","param":null,"code":null}})");
  }
}

TEST(NamesLoopback, TellsThisMachineFromOthers) {
  for (const char* host : {"localhost", "LocalHost:8000", "localhost.:80", "127.0.0.1", "127.1.2.3:9", "[::1]:8000",
                           "[0:0:0:0:0:0:0:1]", "node7:8000", "NODE7"})
    EXPECT_TRUE(is_local_host(host, "node7")) << host;
  for (const char* host : {"evil.example:8000", "127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
                           "128.0.0.1", "[::2]", "[", "]", ":", "::1", "node8", "1", "0x7f.1"})
    EXPECT_FALSE(is_local_host(host, "node7")) << host;
  EXPECT_TRUE(is_local_host("[::1]", "::1"));
  EXPECT_TRUE(is_local_host("[fe80::2]:80", "FE80::2"));
  EXPECT_FALSE(is_local_host(":80", ""));
}

TEST_F(Http, TellsAClientThatAsksToGoOn) {
  start();
  RawClient client(port);
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.until("\r\n\r\n").substr(0, 12), "HTTP/1.1 100");
  client.send("abc");
  EXPECT_NE(client.until("POST /a abc").find("200"), std::string::npos);
}

TEST_F(Http, SendsAStreamAsItGrows) {
  start();
  RawClient client(port);
  client.send(get("/later"));
  const auto response = kept.get_future().get();
  response->event("one");
  EXPECT_NE(client.until("data: one\n\n").find("Transfer-Encoding: chunked"), std::string::npos);
  response->event("two");
  client.until("data: two\n\n");
  response->end();
  EXPECT_TRUE(client.until("0\r\n\r\n").ends_with("0\r\n\r\n"));
  // The connection stays usable.
  client.forget();
  client.send(get("/b"));
  EXPECT_EQ(status(client.until("GET /b ")), "200");
}

TEST_F(Http, EndsAStreamWithTheConnectionOfAnOldClient) {
  start();
  RawClient client(port);
  client.send("GET /later HTTP/1.0\r\n\r\n");
  const auto response = kept.get_future().get();
  response->event("one");
  response->end();
  EXPECT_EQ(body(client.all()), "data: one\n\n");
}

TEST_F(Http, SaysThatAClientIsGone) {
  start();
  auto client = std::make_unique<RawClient>(port);
  client->send(get("/later"));
  const auto response = kept.get_future().get();
  EXPECT_FALSE(response->gone());
  client.reset();
  while (!response->gone()) std::this_thread::yield();  // bounded by the test's time limit
  response->event("nobody");
  response->send(200, "nobody");
}

TEST_F(Http, RefusesWhatIsTooLong) {
  start({.header = 1000, .body = 10});
  RawClient a(port), b(port), c(port);
  a.send(post("/a", "12345678901"));
  EXPECT_EQ(status(a.all()), "413");
  b.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n");
  EXPECT_EQ(status(b.all()), "413");
  c.send("GET /" + std::string(2000, 'a') + " HTTP/1.1\r\n\r\n");
  EXPECT_EQ(status(c.all()), "431");
}

TEST_F(Http, BoundsWhatItReadsWhateverItIsCalled) {
  start({.header = 1000, .body = 1000});
  RawClient extension(port), trailer(port), fields(port);
  const std::string chunked = "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string megabyte(1 << 20, 'a');
  extension.send(chunked + "1;" + megabyte);
  EXPECT_EQ(status(extension.all()), "413");
  trailer.send(chunked + "1\r\na\r\n0\r\nX: " + megabyte);
  EXPECT_EQ(status(trailer.all()), "413");
  std::string many = "GET / HTTP/1.1\r\na";
  for (int i = 0; i < 100'000; ++i) many += ": b\r\na";
  fields.send(many);
  EXPECT_EQ(status(fields.all()).substr(0, 1), "4");
}

TEST_F(Http, HoldsSoManyBytesOfBodiesAndNoMore) {
  start({.body = 1000, .bodies = 1500});
  RawClient first(port), second(port);
  first.send("POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'a'));
  const auto response = kept.get_future().get();
  second.send(post("/a", std::string(600, 'a')));
  EXPECT_EQ(status(second.all()), "503");
  response->send(200, "done");
  first.until("done");
  first.send(post("/a", std::string(600, 'b')));  // the finished request's bytes are free again
  EXPECT_NE(first.until("POST /a bbb").find("POST /a bbb"), std::string::npos);
}

TEST_F(Http, LeavesAClientThatTakesNothing) {
  start({.request = std::chrono::seconds(1)});
  RawClient client(port);
  client.send(get("/later"));
  const auto response = kept.get_future().get();
  response->send(200, std::string(64 << 20, 'x'));
  while (!response->gone()) std::this_thread::yield();
  server.reset();
}

TEST_F(Http, AnswersHeadWithoutABody) {
  start();
  RawClient client(port);
  client.send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n" + get("/b", "Connection: close\r\n"));
  const auto text = client.all();
  EXPECT_EQ(text.find("HEAD /a"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("GET /b ")) << text;
}

TEST_F(Http, RefusesAtTheGateWithoutReadingTheBody) {
  gate = [](const HttpRequest& request) {
    return request.path == "/closed" ? std::optional(HttpServer::Refused{401, "no"}) : std::nullopt;
  };
  start();
  RawClient client(port);
  client.send("POST /closed HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  const auto text = client.all();
  EXPECT_EQ(status(text), "401");
  EXPECT_EQ(body(text), "no");
}

TEST_F(Http, RefusesWhatIsNoHttp) {
  start();
  for (const char* bytes : {"hello\r\n\r\n", "GET\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                            "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde"}) {
    RawClient client(port);
    client.send(bytes);
    const auto text = client.all();
    EXPECT_EQ(status(text), "400") << bytes;
    EXPECT_EQ(body(text),
              R"({"error":{"message":"this is not HTTP","type":"invalid_request_error","param":null,"code":null}})");
  }
  RawClient good(port);
  good.send(get("/still"));
  EXPECT_EQ(status(good.until("GET /still ")), "200");
}

TEST_F(Http, LeavesThoseWhoNeverEndARequest) {
  start({.request = std::chrono::seconds(1), .idle = std::chrono::seconds(1)});
  RawClient silent(port), slow(port);
  slow.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc");
  EXPECT_EQ(silent.all(), "");
  EXPECT_EQ(slow.all(), "");
}

TEST_F(Http, ServesNoMoreConnectionsThanItMay) {
  start({.connections = 2});
  RawClient a(port), b(port);
  a.send(get("/a"));
  b.send(get("/b"));
  a.until("GET /a ");
  b.until("GET /b ");
  EXPECT_EQ(RawClient(port).all(), "");
}

TEST_F(Http, DeliversWhatWasGivenBeforeItEnds) {
  start();
  RawClient client(port), idle(port);
  client.send(get("/later"));
  kept.get_future().get()->send(200, std::string(1 << 20, 'x'));
  server.reset();
  EXPECT_EQ(body(client.all()), std::string(1 << 20, 'x'));
  EXPECT_EQ(idle.all(), "");
  EXPECT_FALSE(RawClient(port).connected());
}

TEST_F(Http, SaysWhereItCanNotListen) {
  start();
  try {
    HttpServer second("127.0.0.1", port);
    FAIL() << "two servers at one port";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "127.0.0.1:" + std::to_string(port));
    EXPECT_EQ(error.problem(), "can't listen on this address: Address already in use");
  }
  EXPECT_THROW(HttpServer("no.such.host.invalid", uint16_t{0}), Error);
  EXPECT_TRUE(HttpServer("localhost", uint16_t{0}).loopback());
  EXPECT_FALSE(HttpServer("0.0.0.0", uint16_t{0}).loopback());
}

}  // namespace
}  // namespace compeer::serve
