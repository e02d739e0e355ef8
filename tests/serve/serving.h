#pragma once
#include <csignal>
#include <cstdio>
#include <string>

#include "../program.h"
#include "../tiny_model.h"

namespace compeer::serve {

/// Fixture that runs `compeer serve` with a small model on a free port.
class Serving : public Program {
 protected:
  Serving() { make_tiny_model(folder() / "tiny", 256); }
  ~Serving() override { stop(); }

  /// Starts the server. `options`: of the command line; `before`: assignments for its environment; `model`: a folder.
  void start(const std::string& options = "", const std::string& before = "", const std::string& model = "tiny") {
    const auto name = options.find("--name") == std::string::npos ? " --name " + model : "";
    const auto command = "cd " + folder().string() + " && exec env " + before +
                         " " COMPEER_BINARY_DIR "/bin/compeer serve --threads 1 --port 0 --model " + model + name +
                         " " + options + " 2>said & echo $!; wait $!; echo exit $?";
    pipe_ = ::popen(command.c_str(), "r");
    process_ = std::stoi(line());
    address = line();
    ASSERT_TRUE(address.starts_with("http://")) << address;
    port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }

  /// Ends the server by a signal, as Ctrl-C does; returns the last line of the command, such as "exit 0". `times`:
  /// number of signals, each sent after the previous one was handled.
  std::string stop(int signal = SIGINT, int times = 1) {
    if (!pipe_) return "";
    for (int i = 0; i < times; ++i) {
      while (i > 0 && pending(signal)) continue;
      ::kill(process_, signal);
    }
    const auto last = line();
    ::pclose(pipe_);
    pipe_ = nullptr;
    return last;
  }

  /// Returns the last line on standard error.
  std::string last_words() const {
    std::ifstream file(folder() / "said");
    std::string last;
    for (std::string line; std::getline(file, line);) last = line;
    return last;
  }

  std::string address;  // such as http://127.0.0.1:1234/v1
  uint16_t port = 0;

 private:
  // True if the server has received this signal but not handled it.
  bool pending(int signal) const {
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    std::string word;
    while (status >> word && word != "ShdPnd:") continue;
    return status >> word && (std::stoull(word, nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  // Returns the next line of the command's standard output.
  std::string line() {
    std::string text;
    for (int c = std::fgetc(pipe_); c != EOF && c != '\n'; c = std::fgetc(pipe_)) text += static_cast<char>(c);
    return text;
  }

  std::FILE* pipe_ = nullptr;  // standard output of the shell that runs the server; null: not running
  pid_t process_ = 0;          // of the server
};

}  // namespace compeer::serve
