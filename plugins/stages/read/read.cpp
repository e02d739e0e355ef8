/// read: adds the "reading" of each dialogue: the three steps that a trained supporter (the reader) writes for it
/// itself. A judge can be shown them next to the steps it judges.
#include <map>

#include "compeer/plugin.h"
#include "judging/reading.h"
#include "judging/trained_judge.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

class Read : public Stage {
 public:
  Read(const Settings& settings, Host& host)
      : folder_(settings.text("model")),
        reader_(host.language_model(folder_)),
        weights_(judging::weights_of(folder_)),
        replies_(settings.flag("replies")) {}

  // Records of one round share their history, which is read once.
  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::map<json, size_t> known;
    std::vector<std::vector<Turn>> histories;
    for (const json& record : records) {
      if (known.emplace(record.at("history"), histories.size()).second)
        histories.push_back(stages::turns_in(record.at("history")));
    }
    std::vector<judging::AnsweredDialogue> dialogues;
    const auto readings = judging::read(reader_, histories);
    for (size_t i = 0; i < histories.size(); ++i) dialogues.push_back({std::move(histories[i]), readings[i], {}});
    std::vector<Outcome> outcomes;
    for (const json& record : records) {
      const auto& reading = readings[known.at(record.at("history"))];
      json& read = outcomes.emplace_back(stages::kept(record)).records[0];
      read["reading"] = judging::to_json(reading);
      read["provenance"]["reading"] = {{"model", folder_}, {"weights", weights_}};
      for (size_t step = 0; step < reading.size(); ++step)
        outcomes.back().counts[std::string(judging::step_names[step]) + (reading[step] ? " read" : " not read")] = 1;
    }
    if (replies_) read_replies(records, known, std::move(dialogues), outcomes);
    return outcomes;
  }

  std::string cache_key() const override { return weights_; }

 private:
  // Adds the readings of each record's reference and of its candidate's reply.
  void read_replies(const std::vector<json>& records, const std::map<json, size_t>& known,
                    std::vector<judging::AnsweredDialogue> dialogues, std::vector<Outcome>& outcomes) const {
    for (const json& record : records) {
      auto& replies = dialogues[known.at(record.at("history"))].replies;
      replies.push_back(record.at("reference").get<std::string>());
      replies.push_back(record.at("candidates").at(0).at("reply").get<std::string>());
    }
    const auto readings = judging::read_replies(reader_, dialogues);
    std::vector<size_t> next(dialogues.size());
    for (size_t i = 0; i < records.size(); ++i) {
      const size_t dialogue = known.at(records[i].at("history"));
      json& reading = outcomes[i].records[0]["reading"];
      reading["reference"] = judging::to_json(readings[dialogue][next[dialogue]++]);
      reading["reply"] = judging::to_json(readings[dialogue][next[dialogue]++]);
    }
  }

  const std::string folder_;
  LanguageModel& reader_;
  const std::string weights_;
  const bool replies_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, read, Read, R"json(
  "version": "1.0.0",
  "summary": "A model writes its own three steps for each dialogue, shown to judges next to those they judge.",
  "parameters": {
    "model": {"type": "path", "help": "a model's folder, such as a supervised run's checkpoints/last"},
    "replies": {"type": "boolean", "default": false,
      "help": "also describe each reply; requires a model trained on cer with reads_replies = true"}
  })json")
