// 0 1 4 9, 3: 1 0 1 4 (twice), 0: 16 9 4 1; (14 + 6 + 6 + 30) / 4 = 14. kappa = 1 - 2 / 14.
#include "inference/chat.h"

#include <poll.h>
#include <pty.h>

#include <nlohmann/json.hpp>

#include "../program.h"
#include "places.h"
#include "../tiny_model.h"

namespace compeer::app {
namespace {

using nlohmann::json;

class Talking : public Program {
 protected:
  Talking() { make_tiny_model(folder() / "tiny", 4096); }

  // Returns the reply of `compeer generate` to these messages.
  std::string generated(const json& messages, const std::string& options) {
    write("in.jsonl", json{{"messages", messages}}.dump() + "\n");
    const auto text = told("generate --model tiny " + options + " < in.jsonl");
    return json::parse(text.substr(0, text.find('\n'))).at("text");
  }
};

json message(const std::string& role, const std::string& content) { return {{"role", role}, {"content", content}}; }

TEST_F(Talking, AnswersEveryLineOfAFile) {
  const std::string options = "--greedy --max-new 12";
  json messages = json::array({message("user", "I feel alone.")});
  const auto first = generated(messages, options);
  messages.push_back(message("assistant", first));
  messages.push_back(message("user", "Nobody calls."));
  const auto second = generated(messages, options);
  write("said.txt", "I feel alone.\n\nNobody calls.\n/reset\nI feel alone.");
  EXPECT_EQ(told("chat --model tiny " + options + " < said.txt"), first + "\n" + second + "\n" + first + "\nexit 0");
}

TEST_F(Talking, TellsTheModelTheSystemTextFirst) {
  const std::string options = "--greedy --max-new 12";
  const auto expected = generated({message("system", "Be kind."), message("user", "Hello.")}, options);
  write("said.txt", "Hello.\n");
  EXPECT_EQ(told("chat --model tiny --system 'Be kind.' " + options + " < said.txt"), expected + "\nexit 0");
  write("said.txt", "/system Be kind.\nHello.\n/quit\nnever read\n");
  EXPECT_EQ(told("chat --model tiny " + options + " < said.txt"), expected + "\nexit 0");
}

TEST_F(Talking, EndsAtAMistakeInAFile) {
  write("said.txt", "/rest\n");
  EXPECT_EQ(told("chat --model tiny < said.txt"),
            "compeer: error: line 1: no command '/rest'\n"
            "  help: did you mean '/reset'? known: /reset, /system, /help, /quit\nexit 4");
  write("said.txt", "a\xff\n");
  EXPECT_EQ(told("chat --model tiny < said.txt"), "compeer: error: line 1: is not UTF-8\nexit 4");
}

TEST_F(Talking, NeedsATokenizer) {
  EXPECT_TRUE(told("chat --model " COMPEER_SOURCE_DIR "/tests/golden/text_tied < /dev/null").ends_with("exit 4"));
}

// Runs the program at a pseudo-terminal.
class Terminal {
 public:
  explicit Terminal(const std::string& command) {
    child_ = ::forkpty(&side_, nullptr, nullptr, nullptr);
    if (child_ == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~Terminal() { ::close(side_); }

  void type(const std::string& text) const {
    ASSERT_EQ(::write(side_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  // Returns the output up to `end`, or all of it if the program exits first.
  std::string shown(const std::string& end) {
    std::string text;
    pollfd wanted{side_, POLLIN, 0};
    while (text.find(end) == std::string::npos) {
      if (::poll(&wanted, 1, 60000) <= 0) {
        ADD_FAILURE() << "no '" << end << "' came after: " << text;
        break;
      }
      char block[256];
      const ssize_t count = ::read(side_, block, sizeof block);
      if (count <= 0) break;
      text.append(block, static_cast<size_t>(count));
    }
    return text;
  }

  int exit_code() const {
    int status = 0;
    ::waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  int side_ = -1;
  pid_t child_ = -1;
};

TEST_F(Talking, LetsAPersonStopAReplyAndGoOn) {
  Terminal terminal("exec env NO_COLOR=1 " COMPEER_BINARY_DIR "/bin/compeer chat --model " +
                    (folder() / "tiny").string() + " --ignore-end --max-new 3500 --temperature 2 --top-p 1");
  EXPECT_NE(terminal.shown("> ").find("/help for commands"), std::string::npos);
  terminal.type("Tell me a very long story.\n");
  terminal.shown("story.\r\n");
  terminal.shown(" ");  // the reply has started
  terminal.type("\x03");
  terminal.shown("\n> ");
  terminal.type("/help\n");
  EXPECT_NE(terminal.shown("\n> ").find("/system TEXT"), std::string::npos);
  terminal.type("/nothing\n");
  EXPECT_NE(terminal.shown("\n> ").find("no command '/nothing'"), std::string::npos);
  terminal.type("\x03");  // Ctrl-C outside a reply discards the line; the program continues
  terminal.shown("\n> ");
  terminal.type("\x04");
  terminal.shown("never");
  EXPECT_EQ(terminal.exit_code(), 0);
}

}  // namespace
}  // namespace compeer::app
