// Opens the judges that the settings name, asks them, and combines their opinions.
#include "judging/panel.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "compeer/chat.h"
#include "judging/chat_judge.h"
#include "judging/model_judge.h"
#include "judging/trained_judge.h"

namespace compeer::judging {

namespace {

JudgeDecoding hearing_of(const Settings& settings) {
  return {static_cast<int>(settings.integer("votes")), settings.number("temperature"),
          settings.text("score_by") == "likelihood", settings.flag("swap"), settings.flag("speculate")};
}

// Identifies a chat model. A model folder may be retrained under the same name, so its weights identify it.
std::string answerer(const std::string& model) {
  return std::filesystem::is_directory(model) ? weights_of(model) : model;
}

}  // namespace

JudgePanel::JudgePanel(const Settings& settings, Host& host, Scope scope, Reads reads) : host_(host), reads_(reads) {
  const auto& all = settings.json();
  const auto named = [&](const char* key) { return all.contains(key) && !all.at(key).is_null(); };
  const bool two = named("outcome_model") || named("outcome_chat");
  add(settings, host, "", two ? Scope{.steps = true, .reply = false, .separate = true} : scope);
  if (two) add(settings, host, "outcome_", {.steps = false, .reply = true, .separate = true});
}

void JudgePanel::add(const Settings& settings, Host& host, const std::string& before, Scope scope) {
  const auto model = before + "model", chat = before + "chat";
  if (settings.has(model) == settings.has(chat)) {
    throw std::runtime_error("requires either '" + model + "', the folder of a judge, or '" + chat + "', a chat model");
  }
  for (const char* of_chats : {"speculate", "no_instructions"}) {
    if (settings.has(model) && settings.flag(of_chats))
      throw std::runtime_error(std::string("'") + of_chats + "' requires a judge set by '" + chat + "'");
  }
  if (settings.flag("no_instructions") && settings.has("prompts"))
    throw std::runtime_error("'no_instructions' asks without prompts, but 'prompts' is set");
  if (settings.has(model)) {
    names_.push_back(settings.text(model));
    const JudgeFormat form(settings);
    check(form, scope);
    judges_.push_back(
        std::make_unique<ModelJudge>(host.language_model(names_.back()), Questions(form, scope, hearing_of(settings))));
    chats_.push_back(nullptr);
    questions_.emplace_back();
    return;
  }
  Chat& asked = host.chat(settings.table(chat));
  const auto prompts = std::filesystem::path(host.folder()) / "prompts/en";
  const JudgeFormat form(settings, settings.flag("no_instructions") ? "" : prompts.string());
  names_.push_back(asked.model());
  if (std::filesystem::is_directory(names_.back())) check(form, scope);
  judges_.push_back(std::make_unique<ChatJudge>(asked, Questions(form, scope, hearing_of(settings))));
  chats_.push_back(&asked);
  questions_.push_back(form.fingerprint());
}

// Checks the form of the judge added last.
void JudgePanel::check(const JudgeFormat& format, const Scope& scope) {
  if (check_form(names_.back(), form_of(format, scope, reads_))) return;
  unchecked_ += (unchecked_.empty() ? "" : ", ") + names_.back();
}

// Logs once which judges have no form.json, and the first unreadable answer. Called when opinions arrive, so a dry run
// logs nothing.
void JudgePanel::log_once(const std::vector<std::vector<Verdicts>>& verdicts) const {
  if (!unchecked_.empty())
    host_.log("note: no form.json in " + std::exchange(unchecked_, "") +
              ": can't check that the judge is asked as it was trained");
  for (const auto& of_group : verdicts) {
    for (const Verdicts& opinion : of_group) {
      if (unreadable_logged_ || opinion.unreadable == 0) continue;
      unreadable_logged_ = true;
      host_.log("note: an answer that could not be read: '" + opinion.first_unreadable + "'");
    }
  }
}

std::vector<std::vector<Verdicts>> JudgePanel::judge(std::span<const JudgedGroup> groups) const {
  auto all = judges_[0]->judge(groups);
  if (judges_.size() == 1) {
    log_once(all);
    return all;
  }
  const auto of_replies = judges_[1]->judge(groups);
  for (size_t g = 0; g < all.size(); ++g) {
    for (size_t i = 0; i < all[g].size(); ++i) {
      all[g][i].reply = of_replies[g][i].reply;
      all[g][i].preference = of_replies[g][i].preference;
      all[g][i].count(of_replies[g][i]);
    }
  }
  log_once(all);
  return all;
}

bool JudgePanel::is_async() const {
  return std::all_of(chats_.begin(), chats_.end(), [](const Chat* chat) { return chat && chat->is_async(); });
}

bool JudgePanel::is_remote() const {
  return std::any_of(chats_.begin(), chats_.end(), [](const Chat* chat) { return chat != nullptr; });
}

std::vector<std::string> JudgePanel::fingerprints() const {
  std::vector<std::string> all;
  for (size_t i = 0; i < names_.size(); ++i)
    all.push_back(chats_[i] ? answerer(names_[i]) + ", asked with " + questions_[i] : weights_of(names_[i]));
  return all;
}

}  // namespace compeer::judging
