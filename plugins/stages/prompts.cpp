#include "stages/prompts.h"

#include <filesystem>
#include <set>

#include "base/error.h"

namespace compeer::stages {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// What the chat plugin ships for itself; empty if it reads the prompts for all.
fs::path own_folder(const Settings& settings, const Host& host, const std::string& chat) {
  if (settings.has("prompts") || !settings.has(chat)) return {};
  const auto folder = fs::path(host.folder()).parent_path() / "chat" / "prompts" / settings.table(chat).text("plugin");
  return fs::exists(folder) ? folder : fs::path();
}

// A stage has several prompts, and a run several stages: what they lack in common is said once in a process.
bool said_first(const std::string& what) {
  static std::set<std::string> said;
  return said.insert(what).second;
}

}  // namespace

bool chinese(const json& record) { return record.value("language", "en").starts_with("zh"); }

StagePrompt::StagePrompt(const Settings& settings, Host& host, const std::string& chat, const std::string& name,
                 const std::vector<std::string>& slots)
    : host_(host), file_(name + ".txt") {
  const fs::path own = own_folder(settings, host, chat);
  auto known = slots;
  if (!own.empty()) known.emplace_back(empathy::case_slot);
  const fs::path folder = !own.empty()              ? own
                          : settings.has("prompts") ? fs::path(settings.text("prompts"))
                                                    : fs::path(host.folder()) / "prompts";
  folder_ = folder.string();
  for (const std::string language : {"en", "zh"}) {
    const fs::path file = folder / language / file_;
    if (fs::exists(file)) by_language_.emplace(language, empathy::PromptTemplate::read(file, known));
  }
  if (by_language_.empty())
    throw Error(folder_, "has neither en/" + file_ + " nor zh/" + file_,
                "a folder of prompts has one for each language of the data: en/" + file_ + ", zh/" + file_, Exit::data);
}

const empathy::PromptTemplate& StagePrompt::of(const json& record) const {
  const std::string language = chinese(record) ? "zh" : "en";
  const auto found = by_language_.find(language);
  if (found != by_language_.end()) return found->second;
  note_missing(language);
  return by_language_.begin()->second;
}

// By folder, if it has nothing in that language; else by file.
void StagePrompt::note_missing(const std::string& language) const {
  const std::string lacks = fs::exists(fs::path(folder_) / language) ? language + "/" + file_ : language;
  if (!said_first(folder_ + "/" + lacks)) return;
  host_.log("the prompts " + folder_ + " have no '" + lacks + "': what is asked about records in " +
            (language == "zh" ? "Chinese" : "English") + " is asked by those in '" + by_language_.begin()->first + "'");
}

std::string StagePrompt::fill(const json& record, std::map<std::string, std::string> values) const {
  values.emplace(empathy::case_slot, record.value("id", ""));
  return of(record).fill(values);
}

std::string StagePrompt::hashes() const {
  std::string all;
  for (const auto& [language, prompt] : by_language_) all += language + " " + prompt.sha256() + "\n";
  return all;
}

}  // namespace compeer::stages
