#include "openai/endpoint.h"

#include <gtest/gtest.h>

namespace compeer::openai {

namespace {

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
  EXPECT_EQ(refused("example.com/v1"), "url: is not a URL with http:// or https:// in front");
  EXPECT_EQ(refused(""), "url: is not a URL with http:// or https:// in front");
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
  EXPECT_EQ(endpoint.apart, milliseconds(500));
  EXPECT_TRUE(endpoint.post.direct);
}

}  // namespace

}  // namespace compeer::openai
