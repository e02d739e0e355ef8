// Asks judges for the scores of dialogues.
#include "evaluating/esc_eval/judge.h"

#include <algorithm>

namespace compeer::evaluating::esc_eval {

using nlohmann::json;

namespace {

std::string key_of(size_t dimension) { return std::string(dimensions[dimension].key); }

// The questions to one model.
struct ModelQuestions {
  Chat* chat;
  const stages::Asking* how;
  std::vector<stages::ChatQuestion> questions;
};

stages::StagePrompt prompts_for(const Settings& settings, Host& host, const std::string& setting, size_t dimension) {
  return {settings, host, setting, "esc_eval_" + key_of(dimension), {"dialogue"}};
}

}  // namespace

DimensionJudges::DimensionJudges(const Settings& settings, Host& host) : parser_(parser_of(settings.text("parser"))) {
  for (const std::string judge : {only_judge, "second_judge"}) {
    Model& model =
        judges_.emplace(judge, Model{OptionalChat(settings, host, judge), {settings, judge}, {}}).first->second;
    for (size_t d = 0; d < dimensions.size(); ++d) model.prompts.emplace(d, prompts_for(settings, host, judge, d));
  }
  const Settings others = settings.table("judges");
  for (const auto& [language, by_dimension] : others.json().items()) {
    for (size_t d = 0; d < dimensions.size(); ++d) {
      const auto chosen = by_dimension.find(key_of(d));
      if (chosen == by_dimension.end() || chosen->is_null()) continue;
      const Settings own(json{{"prompts", settings.json().at("prompts")}, {key_of(d), *chosen}});
      overrides_.emplace(Dimension{language, d}, Model{OptionalChat(own, host, key_of(d)),
                                                       {settings, own, key_of(d)},
                                                       {{d, prompts_for(own, host, key_of(d), d)}}});
    }
  }
}

void DimensionJudges::judge(std::vector<JudgedDialogue>& cases) const {
  if (cases.empty()) return;
  for (const auto& [name, model] : judges_) {
    if (model.chat || name == only_judge) ask(name, cases);
  }
}

const DimensionJudges::Model& DimensionJudges::model_for(const std::string& judge, const json& record,
                                                         size_t dimension) const {
  const auto other = overrides_.find({stages::chinese(record) ? "zh" : "en", dimension});
  return judge == only_judge && other != overrides_.end() ? other->second : judges_.at(judge);
}

void DimensionJudges::ask(const std::string& judge, std::vector<JudgedDialogue>& cases) const {
  std::vector<ModelQuestions> asked;
  for (JudgedDialogue& one : cases) {
    DialogueScores& scores = one.judged[judge];
    const auto dialogue = stages::shown(shown_turns(one.transcript), *one.record);
    for (size_t d = 0; d < dimensions.size(); ++d) {
      json& kept = one.answers[judge][key_of(d)];
      const Model& model = model_for(judge, *one.record, d);
      Chat& chat = model.chat.require("the dialogue '" + one.record->at("id").get<std::string>() + "' is to be judged");
      auto questions =
          std::find_if(asked.begin(), asked.end(), [&](const ModelQuestions& other) { return other.chat == &chat; });
      if (questions == asked.end()) questions = asked.insert(asked.end(), {&chat, &model.asking, {}});
      questions->questions.push_back({model.prompts.at(d).fill(*one.record, {{"dialogue", dialogue}}),
                                      [&scores, &kept, d, this](const std::string& answer) {
                                        kept = answer;
                                        scores[d] = read_score(answer, parser_);
                                        return scores[d] ? "" : "no score";
                                      }});
    }
  }
  for (auto& [chat, how, questions] : asked) cases[0].refused += stages::ask(*chat, questions, *how);
}

json DimensionJudges::models() const {
  json all = json::object();
  for (const auto& [name, model] : judges_) {
    if (model.chat) all[name] = model.chat.model();
  }
  for (const auto& [place, model] : overrides_)
    all[std::string(only_judge) + "." + place.first + "." + key_of(place.second)] = model.chat.model();
  return all;
}

std::string DimensionJudges::prompts() const {
  std::string all;
  const auto add = [&](const Model& model) {
    for (const auto& [dimension, prompts] : model.prompts) all += prompts.hashes();
  };
  for (const auto& [name, model] : judges_) add(model);
  for (const auto& [place, model] : overrides_) add(model);
  return all;
}

void DimensionJudges::note(json& record) const {
  json& noted = record["provenance"]["scores"] = {{"models", models()}};
  for (size_t d = 0; d < dimensions.size(); ++d)
    noted["prompts"][key_of(d)] = model_for(only_judge, record, d).prompts.at(d).of(record).sha256();
}

}  // namespace compeer::evaluating::esc_eval
