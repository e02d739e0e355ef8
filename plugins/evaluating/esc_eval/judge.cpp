#include "evaluating/esc_eval/judge.h"

namespace compeer::evaluating::esc_eval {

using nlohmann::json;

Judging::Judging(const Settings& settings, Host& host)
    : chats_{{{only_judge, OptionalChat(settings, host, "judge")},
              {"second_judge", OptionalChat(settings, host, "second_judge")}}},
      asking_(settings),
      parser_(parser_of(settings.text("parser"))) {
  for (const auto& dimension : dimensions)
    prompts_.emplace_back(settings, host, "esc_eval_" + std::string(dimension.key),
                          std::vector<std::string>{"id", "dialogue"});
}

void Judging::judge(std::vector<Case>& cases) const {
  if (cases.empty()) return;
  const auto why = "the dialogue '" + cases[0].record->at("id").get<std::string>() + "' is to be judged";
  for (const auto& [name, chat] : chats_) {
    if (chat || name == only_judge) ask(chat.demanded(why), name, cases);
  }
}

void Judging::ask(Chat& chat, const std::string& name, std::vector<Case>& cases) const {
  std::vector<stages::Question> questions;
  for (Case& one : cases) {
    Scores& scores = one.judged[name];
    const auto dialogue = stages::shown(shown_turns(one.transcript), *one.record);
    for (size_t d = 0; d < dimensions.size(); ++d) {
      json& kept = one.answers[name][std::string(dimensions[d].key)];
      const auto prompt = prompts_[d].of(*one.record).fill({{"id", one.record->at("id")}, {"dialogue", dialogue}});
      questions.push_back({prompt, [&scores, &kept, d, this](const std::string& answer) {
                             kept = answer;
                             scores[d] = read_score(answer, parser_);
                             return scores[d] ? "" : "no score";
                           }});
    }
  }
  cases[0].refused += stages::ask(chat, questions, asking_);
}

json Judging::models() const {
  json all = json::object();
  for (const auto& [name, chat] : chats_) {
    if (chat) all[name] = chat.model();
  }
  return all;
}

std::string Judging::prompts() const {
  std::string all;
  for (const auto& prompt : prompts_) all += prompt.hashes();
  return all;
}

void Judging::note(json& record) const {
  json& noted = record["provenance"]["scores"] = {{"models", models()}};
  for (size_t d = 0; d < dimensions.size(); ++d)
    noted["prompts"][std::string(dimensions[d].key)] = prompts_[d].of(record).sha256();
}

}  // namespace compeer::evaluating::esc_eval
