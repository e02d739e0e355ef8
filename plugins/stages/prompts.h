#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/host.h"
#include "compeer/settings.h"
#include "empathy/prompt.h"

namespace compeer::stages {

/// The prompt of a stage in the languages there are: <folder>/<language>/<name>.txt. The folder is that which the
/// setting `prompts` names; else the one which the chat plugin of the setting `chat` ships for itself alone, as players
/// of generated dialogues do (plugins/chat/prompts/<plugin>); else the one beside the stages. Where one language is
/// missing, the other one's prompt is used, and the log says so once; if both are, it throws Error (exit 4).
///
/// Who is asked must not learn which record it is about: only prompts that a chat plugin ships may show its id.
class StagePrompt {
 public:
  StagePrompt(const Settings& settings, Host& host, const std::string& chat, const std::string& name,
              const std::vector<std::string>& slots);

  /// In the record's language; in the other one, if there is none in that.
  const empathy::PromptTemplate& of(const nlohmann::json& record) const;

  /// That prompt with its slots filled.
  std::string fill(const nlohmann::json& record, std::map<std::string, std::string> values) const;

  /// Changes when any of them does: for `Stage::ingredients`.
  std::string hashes() const;

 private:
  void note_missing(const std::string& language) const;

  Host& host_;
  std::string folder_, file_;  // "prompts", "filter.txt"
  std::map<std::string, empathy::PromptTemplate> by_language_;
};

/// Whether what a record says is shown, and asked about, in Chinese.
bool chinese(const nlohmann::json& record);

}  // namespace compeer::stages
