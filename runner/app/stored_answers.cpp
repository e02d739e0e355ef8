#include "app/stored_answers.h"

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace compeer::app {

namespace fs = std::filesystem;
using nlohmann::json;
using plugin::AnswerFile;
using plugin::AnswerLine;

namespace {

struct Lines {
  std::unique_ptr<AnswerFile> file;
  std::vector<AnswerLine> lines;
};

struct OpenStore {
  std::vector<Lines> files;
  std::set<std::string> malformed;  // keys
};

OpenStore read(const fs::path& folder, bool change, const AnswerFile::Log& log) {
  OpenStore store;
  for (const auto& path : plugin::answer_files(folder)) {
    auto file = std::make_unique<AnswerFile>(path, change ? AnswerFile::Use::change : AnswerFile::Use::read);
    if (change && !file->lock())
      throw Error(path.string(), "a run is adding to it", "wait for the run to end", Exit::data);
    store.files.push_back({std::move(file), {}});
    Lines& one = store.files.back();
    one.file->read_on([&](AnswerLine line) { one.lines.push_back(std::move(line)); }, log);
    for (const auto& line : one.lines) {
      if (line.malformed) store.malformed.insert(line.key);
    }
  }
  if (store.files.empty())
    throw Error(folder.string(), "holds no answers",
                "runs keep them in 'answers' where their folders are; name that folder", Exit::data);
  return store;
}

bool meant(const json& answer, bool malformed, const AnswerFilter& filter) {
  if (filter.malformed && !malformed) return false;
  return filter.model.empty() || answer.at("model") == filter.model || answer.value("served", "") == filter.model;
}

void add(const json& answer, bool malformed, std::map<std::string, AnswerSums>& sums) {
  AnswerSums& sum = sums[answer.at("model").get<std::string>()];
  ++sum.answers;
  sum.malformed += malformed;
  sum.prompt_tokens += whole<int64_t>(answer.at("prompt_tokens"));
  sum.completion_tokens += whole<int64_t>(answer.at("completion_tokens"));
  sum.cost += answer.value("cost", 0.0);
  if (const auto served = answer.value("served", ""); !served.empty()) sum.served.insert(served);
}

// Calls f with each answer that is meant.
template <class F>
void each(const OpenStore& store, const Lines& lines, const AnswerFilter& filter, const AnswerFile::Log& log, F&& f) {
  for (const auto& line : lines.lines) {
    if (line.malformed) continue;
    try {
      const json answer = json::parse(lines.file->at(line.offset, line.length));
      const bool malformed = store.malformed.contains(line.key);
      if (meant(answer, malformed, filter)) f(line, answer, malformed);
    } catch (const json::exception&) {
      if (log) log(lines.file->path().string() + ": the answer " + line.key + " is damaged and left out");
    }
  }
}

// Without the lines of these keys.
void rewrite(const Lines& lines, const std::set<std::string>& gone) {
  const auto& path = lines.file->path();
  const fs::path temporary = path.string() + ".new";
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  for (const auto& line : lines.lines) {
    if (!gone.contains(line.key)) stream << lines.file->at(line.offset, line.length) << '\n';
  }
  stream.close();
  if (!stream) throw Error(temporary.string(), "can't be written", "nothing was dropped from this file", Exit::failure);
  sync_file(temporary);
  fs::rename(temporary, path);
  sync_folder(path.parent_path());
}

}  // namespace

std::map<std::string, AnswerSums> sums_of(const fs::path& folder, const AnswerFilter& filter,
                                          const AnswerFile::Log& log) {
  const OpenStore store = read(folder, false, log);
  std::map<std::string, AnswerSums> sums;
  for (const auto& lines : store.files)
    each(store, lines, filter, log,
         [&](const AnswerLine&, const json& answer, bool malformed) { add(answer, malformed, sums); });
  return sums;
}

std::map<std::string, AnswerSums> drop_answers(const fs::path& folder, const AnswerFilter& filter,
                                               const AnswerFile::Log& log) {
  const OpenStore store = read(folder, true, log);
  std::map<std::string, AnswerSums> sums;
  std::set<std::string> gone;
  for (const auto& lines : store.files) {
    each(store, lines, filter, log, [&](const AnswerLine& line, const json& answer, bool malformed) {
      add(answer, malformed, sums);
      gone.insert(line.key);
    });
  }
  for (const auto& lines : store.files) {
    if (!gone.empty()) rewrite(lines, gone);
  }
  return sums;
}

}  // namespace compeer::app
