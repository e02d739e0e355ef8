// The key goes into one header and nowhere else.
#include <cstdlib>

#include "asker.h"
#include "base/files.h"

namespace compeer {

namespace {

using server::Seen;
using server::Server;

constexpr const char* canary = "sk-canary-0123456789";

class Keyed : public testing::Test {
 protected:
  Keyed() { ::setenv("CANARY_KEY", canary, 1); }
  ~Keyed() override { ::unsetenv("CANARY_KEY"); }

  static nlohmann::json settings(const Server& server) { return Asker::openai(server, {{"key_env", "CANARY_KEY"}}); }
};

using TheKey = Keyed;

// An endpoint that sends back what it was sent.
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
  ::setenv("CANARY_KEY", (std::string(" ") + canary + "\n").c_str(), 1);  // as `export KEY=$(cat file)` may leave it
  Asker().ask(settings(server), "q");
  EXPECT_NE(head.find(std::string("\r\nAuthorization: Bearer ") + canary + "\r\n"), std::string::npos) << head;
}

TEST_F(TheKey, IsAnnouncedByTheNameOfItsVariableBeforeAnythingIsAsked) {
  Server server([](const Seen&) { return server::answer("a"); });
  Asker asker;
  auto choice = settings(server);
  asker.chat(choice);
  EXPECT_EQ(asker.log, "chat/openai: tiny: asks " + server.url() + ", which gets the key in $CANARY_KEY\n");
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
  EXPECT_NE(error.problem().find("http://192.0.2.1/v1: would get the key in $CANARY_KEY over http"), std::string::npos)
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
  EXPECT_NE(error.problem().find("$CANARY_KEY: holds what no key is"), std::string::npos) << error.what();
  EXPECT_EQ(std::string(error.what()).find("canary-01234"), std::string::npos);
}

TEST_F(TheKey, DoesNotStandInTheUrl) {
  Asker asker;
  for (const char* url : {"https://user:word@example.com/v1", "https://example.com/v1?key=word"}) {
    const auto error = error_of([&] {
      asker.chat({{"plugin", "openai"}, {"url", url}, {"name", "tiny"}, {"key_env", "CANARY_KEY"}});
    });
    EXPECT_NE(error.problem().find("which would stand in the spec"), std::string::npos) << error.what();
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
