#include "launch/worker_question.h"

#include <sstream>

#include "base/files.h"
#include "base/scratch.h"
#include "launch/worker_program.h"

namespace compeer::launch {

using nlohmann::json;

ProgramOutput ask_worker(const std::string& name, const std::string& input, const std::vector<std::string>& environment,
                         double seconds) {
  const Scratch scratch;
  const auto file = scratch.folder() / "question.json";
  write_file(file, input);
  return ask_program({find_worker(), "model", name, json{{"input", file.string()}}.dump()}, environment, seconds);
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
