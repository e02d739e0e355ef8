#include "launch/worker_question.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "launch/worker_program.h"

namespace compeer::launch {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

class ScratchFile {
 public:
  explicit ScratchFile(const std::string& text)
      : file_(fs::temp_directory_path() / fmt::format("compeer-question-{}.json", ::getpid())) {
    write_file(file_, text);
  }
  ~ScratchFile() {
    std::error_code none;
    fs::remove(file_, none);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  std::string name() const { return file_.string(); }

 private:
  fs::path file_;
};

}  // namespace

ProgramOutput ask_worker(const std::string& name, const std::string& input, const std::vector<std::string>& environment,
                         double seconds) {
  const ScratchFile file(input);
  return ask_program({find_worker(), "model", name, json{{"input", file.name()}}.dump()}, environment, seconds);
}

json last_line(const std::string& text, const char* key) {
  std::istringstream lines(text);
  json last;
  for (std::string line; std::getline(lines, line);) {
    auto said = json::parse(line, nullptr, false);
    if (said.is_object() && said.contains(key)) last = std::move(said);
  }
  return last;
}

}  // namespace compeer::launch
