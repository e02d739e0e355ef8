#include "stages/prompts.h"

#include <filesystem>

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

}  // namespace

bool chinese(const json& record) { return record.value("language", "en").starts_with("zh"); }

Prompts::Prompts(const Settings& settings, const Host& host, const std::string& chat, const std::string& name,
                 const std::vector<std::string>& slots) {
  const fs::path own = own_folder(settings, host, chat);
  auto known = slots;
  if (!own.empty()) known.emplace_back(empathy::case_slot);
  const fs::path folder = !own.empty()              ? own
                          : settings.has("prompts") ? fs::path(settings.text("prompts"))
                                                    : fs::path(host.folder()) / "prompts";
  for (const std::string language : {"en", "zh"}) {
    const fs::path file = folder / language / (name + ".txt");
    if (language == "en" || fs::exists(file)) by_language_.emplace(language, empathy::Prompt::read(file, known));
  }
}

const empathy::Prompt& Prompts::of(const json& record) const {
  const auto found = by_language_.find(chinese(record) ? "zh" : "en");
  return found != by_language_.end() ? found->second : by_language_.at("en");
}

std::string Prompts::fill(const json& record, std::map<std::string, std::string> values) const {
  values.emplace(empathy::case_slot, record.value("id", ""));
  return of(record).fill(values);
}

std::string Prompts::hashes() const {
  std::string all;
  for (const auto& [language, prompt] : by_language_) all += language + " " + prompt.sha256() + "\n";
  return all;
}

}  // namespace compeer::stages
