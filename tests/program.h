#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "places.h"

namespace compeer {

namespace fs = std::filesystem;

// A small experiment.
inline const std::string smoke = COMPEER_SOURCE_DIR "/experiments/smoke_grpo.toml";

// Fixture that runs the built `compeer` with the built plugins, in a temporary folder.
class Program : public testing::Test {
 protected:
  Program() : folder_(fs::path(testing::TempDir()) / ("program_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Program() override { fs::remove_all(folder_); }

  // Runs `compeer ARGUMENTS` in the temporary folder. Returns its standard output and error, followed by "exit N".
  std::string told(const std::string& arguments) {
    const auto command =
        "cd " + folder_.string() + " && { " COMPEER_BINARY_DIR "/bin/compeer " + arguments + "; } 2>&1";
    std::string text;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
    return text + "exit " + std::to_string(WEXITSTATUS(::pclose(pipe)));
  }
  // The same, but only the first line.
  std::string first_line(const std::string& arguments) {
    const auto text = told(arguments);
    return text.substr(0, text.find('\n'));
  }
  // Writes a file in the temporary folder.
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

}  // namespace compeer
