#pragma once
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

namespace compeer::annotate {

/// Headless Chromium, controlled over a pair of pipes (the DevTools protocol). The destructor ends it.
class Browser {
 public:
  using json = nlohmann::json;

  /// Path of the browser found on PATH, or "".
  static std::string program() {
    std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
      for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
        const auto file = std::filesystem::path(folder) / name;
        if (::access(file.c_str(), X_OK) == 0) return file.string();
      }
    }
    return "";
  }

  /// `folder` receives the profile (localStorage) and downloads.
  explicit Browser(const std::filesystem::path& folder) : folder_(folder) {
    start();
    const json targets = ask("Target.getTargets").at("targetInfos");
    for (const json& target : targets) {
      if (target.at("type") == "page")
        session_ =
            ask("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}}).at("sessionId");
    }
    ask("Page.enable");
    ask("Browser.setDownloadBehavior",
        {{"behavior", "allow"}, {"downloadPath", folder.string()}, {"eventsEnabled", true}});
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;
  ~Browser() {
    ::close(to_);
    ::close(from_);
    if (process_ < 0) return;
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  /// Opens a local page and waits until it is loaded.
  void open(const std::filesystem::path& page) {
    ask("Page.navigate", {{"url", "file://" + page.string()}});
    await("Page.loadEventFired", [](const json&) { return true; });
  }

  /// Closes the browser regularly, so that it saves localStorage.
  void close() {
    ask("Browser.close");
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  /// Returns the value of an expression, which must be JSON.
  json value(const std::string& expression) {
    const json answer = ask("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
    if (answer.contains("exceptionDetails")) throw std::runtime_error(answer.dump());
    return answer.at("result").value("value", json());
  }

  /// Presses one key after another.
  void press(const std::string& keys) {
    for (const char key : keys) {
      const std::string text(1, key);
      ask("Input.dispatchKeyEvent", {{"type", "keyDown"}, {"key", text}, {"text", text}});
      ask("Input.dispatchKeyEvent", {{"type", "keyUp"}, {"key", text}});
    }
  }

  /// Waits for the end of a download; returns the file.
  std::filesystem::path download() {
    std::string name;
    await("Browser.downloadWillBegin", [&](const json& event) {
      name = event.at("suggestedFilename");
      return true;
    });
    await("Browser.downloadProgress", [](const json& event) { return event.at("state") == "completed"; });
    return folder_ / name;
  }

 private:
  // Starts the browser process, which reads commands on descriptor 3 and writes answers to 4.
  void start() {
    int to[2], from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::setpgid(0, 0);
      // Descriptors above 20 first, because 3 and 4, which the browser uses, may belong to the pipes.
      const int in = ::fcntl(to[0], F_DUPFD, 20), out = ::fcntl(from[1], F_DUPFD, 20);
      ::dup2(in, 3);
      ::dup2(out, 4);
      ::dup2(::open("/dev/null", O_WRONLY), 2);
      const std::string chromium = program(), profile = "--user-data-dir=" + (folder_ / "profile").string();
      ::execl(chromium.c_str(), chromium.c_str(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
              "--disable-dev-shm-usage", "--remote-debugging-pipe", profile.c_str(), "about:blank", nullptr);
      ::_exit(127);
    }
    ::setpgid(process_, process_);
    ::close(to[0]);
    ::close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }

  // Returns the answer to a command; events that arrive before it are queued.
  json ask(const std::string& method, const json& parameters = json::object()) {
    json message{{"id", ++last_}, {"method", method}, {"params", parameters}};
    if (!session_.empty()) message["sessionId"] = session_;
    const std::string text = message.dump() + '\0';
    if (::write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("the browser went away");
    for (;;) {
      json answer = next();
      if (!answer.contains("id")) {
        events_.push_back(std::move(answer));
      } else if (answer.at("id") == last_) {
        if (answer.contains("error")) throw std::runtime_error(method + ": " + answer.at("error").dump());
        return answer.at("result");
      }
    }
  }

  // Waits for an event of this name with parameters that `wanted` accepts; drops others.
  template <class Wanted>
  void await(const std::string& method, Wanted wanted) {
    for (;;) {
      json event;
      if (events_.empty()) {
        event = next();
      } else {
        event = std::move(events_.front());
        events_.erase(events_.begin());
      }
      if (event.value("method", "") == method && wanted(event.at("params"))) return;
    }
  }

  // Returns the next message, which ends with a zero byte. A missing message must not hang the test.
  json next() {
    for (;;) {
      if (const auto end = buffer_.find('\0'); end != buffer_.npos) {
        json message = json::parse(buffer_.substr(0, end));
        buffer_.erase(0, end + 1);
        return message;
      }
      pollfd waiting{from_, POLLIN, 0};
      char bytes[65536];
      const ssize_t count = ::poll(&waiting, 1, 100'000) == 1 ? ::read(from_, bytes, sizeof bytes) : 0;
      if (count <= 0) throw std::runtime_error("the browser says nothing");
      buffer_.append(bytes, static_cast<size_t>(count));
    }
  }

  std::filesystem::path folder_;
  pid_t process_ = -1;            // of the browser; -1: it has ended
  int to_ = -1, from_ = -1;       // pipes: to the browser, from the browser
  int last_ = 0;                  // id of the last command
  std::string session_, buffer_;  // id of the page's session; received bytes of incomplete messages
  std::vector<json> events_;      // received but not awaited yet
};

}  // namespace compeer::annotate
