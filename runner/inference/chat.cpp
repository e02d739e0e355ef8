// The command `compeer chat`, and Ctrl-C that ends a reply instead of the program.
#include "inference/chat.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "base/error.h"
#include "inference/command_options.h"
#include "inference/model_input.h"
#include "language/text.h"
#include "language/text_stream.h"
#include "spec/text.h"

namespace compeer::inference {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* help =
    "  /reset        start over; keep the system message\n"
    "  /system TEXT  start over with this system message; without TEXT: with none\n"
    "  /help         show this help\n"
    "  /quit         quit, like Ctrl-D\n"
    "Ctrl-C stops a reply.\n";

const std::vector<std::string> commands{"/reset", "/system", "/help", "/quit"};

// Thrown when a reply is interrupted before its first token.
struct Interrupted {};

class ChatSession {
 public:
  explicit ChatSession(const nlohmann::json& options)
      : terminal_(::isatty(STDIN_FILENO) && ::isatty(STDERR_FILENO)),
        model_(model_options(options)),
        input_(options.at("model").get<std::string>(), model_),
        tokenizer_(input_.needed_tokenizer()),
        request_(request_from(options)),
        engine_(*model_.policy),
        kept_(engine_.new_sequence()),
        interruption_(terminal_),
        system_(options.at("system")) {
    request_.progress = [this] {
      if (interruption_.raised() && !begun_) throw Interrupted();
    };
    begin_anew();
  }

  int run() {
    remark("Type your message; /help for commands, Ctrl-D to quit.\n");
    for (;;) {
      interruption_.clear();
      remark(bold("> "));
      const auto line = lines_.next();
      if (!line || *line == "/quit") break;
      if (line->empty()) {  // Ctrl-C
        remark("\n");
      } else if (line->front() == '/') {
        command(*line);
      } else {
        answer(*line);
      }
    }
    remark("\n");
    return 0;
  }

 private:
  void remark(const std::string& text) const {
    if (terminal_) fmt::print(stderr, "{}", text);
  }
  std::string bold(const std::string& text) const {
    const char* no_color = std::getenv("NO_COLOR");
    return no_color && *no_color ? text : "\033[1m" + text + "\033[0m";
  }

  void begin_anew() {
    messages_ = json::array();
    if (!system_.empty()) messages_.push_back({{"role", "system"}, {"content", system_}});
  }

  void command(const std::string& line) {
    const auto end = std::min(line.find(' '), line.size());
    const auto name = line.substr(0, end);
    if (name == "/reset") {
      begin_anew();
    } else if (name == "/system") {
      system_ = line.substr(std::min(end + 1, line.size()));
      begin_anew();
    } else if (name == "/help") {
      fmt::print(stderr, "{}", help);
    } else {
      complain(Error(lines_.where(), "no command '" + name + "'", suggest(name, commands), Exit::data));
    }
  }

  // At a terminal, prints the error so that the user can try again; otherwise throws it.
  void complain(const Error& error) const {
    if (!terminal_) throw error;
    fmt::print(stderr, "{}\n", error.problem() + (error.help().empty() ? "" : "; " + error.help()));
  }

  void answer(const std::string& line) {
    if (language::valid_utf8(line) != line) return complain(Error(lines_.where(), "is not UTF-8", "", Exit::data));
    messages_.push_back({{"role", "user"}, {"content", line}});
    try {
      messages_.push_back({{"role", "assistant"}, {"content", reply()}});
    } catch (const Error& error) {
      messages_.erase(messages_.size() - 1);
      complain(Error(lines_.where(), error.problem(), error.help(), error.exit()));
    } catch (const Interrupted&) {
      messages_.erase(messages_.size() - 1);
      remark("\n");
    }
  }

  // Generates the reply. Tokens of earlier turns that are still a prefix of the conversation stay in the KV cache.
  std::string reply() {
    const auto all = input_.tokens({{"messages", messages_}}, lines_.where(), true);
    const auto& old = kept_.tokens();
    const auto same = std::mismatch(all.begin(), all.end(), old.begin(), old.end()).first - all.begin();
    const int64_t left = kept_.truncate(std::min<int64_t>(same, static_cast<int64_t>(all.size())));
    begun_ = false;
    language::TextStream text(tokenizer_);
    request_.rules = [&](uint32_t) {
      return rollout::CompletionRules{[&](int32_t id) {
        begun_ = true;
        show(text.push(id));
        return interruption_.raised();
      }};
    };
    const auto sample = engine_.generate({{turn_++, {all.begin() + left, all.end()}, nullptr, &kept_}}, request_)[0][0];
    show(text.finish());
    put_line("");
    if (!sample.finished)
      remark(fmt::format("[cut off after {} tokens, the limit set by --max-new]\n", sample.tokens.size()));
    return tokenizer_.decode(sample.tokens);
  }

  // Prints whole characters. At a terminal, control characters are escaped; a program gets the text unchanged.
  static void show(const std::string& text) {
    static const bool seen = ::isatty(STDOUT_FILENO) != 0;
    std::fputs((seen ? spec::printable_lines(text) : text).c_str(), stdout);
    std::fflush(stdout);
  }

  const bool terminal_;
  OpenModel model_;
  const ModelInput input_;
  const language::Tokenizer& tokenizer_;
  rollout::Request request_;
  rollout::Engine engine_;
  rollout::CachedSequence kept_;
  SigintFlag interruption_;
  JsonLineReader lines_{STDIN_FILENO, interruption_.descriptor()};
  std::string system_;
  json messages_;
  uint32_t turn_ = 0;
  bool begun_ = false;  // the reply has a token
};

// Global, because a signal handler has no argument for state.
volatile sig_atomic_t interrupted = 0;
int event = -1;

void note(int) {
  const int before = errno;
  interrupted = 1;
  ::eventfd_write(event, 1);
  errno = before;
}

}  // namespace

int chat(const nlohmann::json& options) { return ChatSession(options).run(); }

SigintFlag::SigintFlag(bool wanted) : wanted_(wanted) {
  interrupted = 0;
  if (!wanted_) return;
  event = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (event < 0)
    throw Error("", std::string("can't install the Ctrl-C handler: eventfd failed: ") + std::strerror(errno),
                "raise the limit on open files (ulimit -n)", Exit::failure);
  struct sigaction action = {};
  action.sa_handler = note;
  ::sigaction(SIGINT, &action, &before_);
}

SigintFlag::~SigintFlag() {
  if (!wanted_) return;
  ::sigaction(SIGINT, &before_, nullptr);
  ::close(event);
  event = -1;
}

bool SigintFlag::raised() const { return interrupted != 0; }

void SigintFlag::clear() {
  eventfd_t count = 0;
  if (wanted_) ::eventfd_read(event, &count);
  interrupted = 0;
}

int SigintFlag::descriptor() const { return event; }

}  // namespace compeer::inference
