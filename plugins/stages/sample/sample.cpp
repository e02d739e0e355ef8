/// sample: draws a few rounds of each dialogue by Gaussian sparse sampling (Eq. 1). A round is a turn of the supporter
/// that answers one of the seeker. Each becomes a record: {"id": "<dialogue's>/<round>", "round", "rounds", "history":
/// [{"role", "text", "pictures"}], "reference": the supporter's text, "labels": those of that turn, "seeker":
/// {"before", "after"}: labels of the turns around it}, with all other fields of the dialogue.
#include "stages/sample/draw.h"

#include "compeer/plugin.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

// Returns the indices of the supporter's turns that answer the seeker.
std::vector<size_t> rounds_of(const json& turns) {
  std::vector<size_t> rounds;
  for (size_t i = 1; i < turns.size(); ++i) {
    if (turns[i].at("role") == "assistant" && turns[i - 1].at("role") == "user") rounds.push_back(i);
  }
  return rounds;
}

class SampleStage : public Stage {
 public:
  SampleStage(const Settings& settings, Host& host)
      : host_(host),
        wanted_(static_cast<size_t>(settings.integer("rounds"))),
        most_turns_(static_cast<size_t>(settings.integer("turns"))) {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes;
    for (const json& record : records) outcomes.push_back(sampled(record));
    return outcomes;
  }

 private:
  Outcome sampled(const json& dialogue) {
    if (!dialogue.contains("turns"))
      throw std::runtime_error("record '" + dialogue.at("id").get<std::string>() +
                               "' has no turns: sample whole dialogues");
    if (dialogue.contains("reference"))  // its labels would be taken for those of other rounds
      stages::refuse(dialogue, "is already a round: it has a reply",
                     "sample whole dialogues: dataset.unit = \"dialogue\"");
    const json& turns = dialogue.at("turns");
    const auto rounds = rounds_of(turns);
    if (rounds.empty()) return stages::dropped("no round");
    const auto [a, b] = stages::random_address(dialogue);
    const auto chosen = stages::draw_rounds(
        rounds.size(), wanted_, [&, a = a, b = b](size_t k) { return host_.random(a, b, static_cast<uint32_t>(k)); });
    Outcome outcome;
    json common = json::object();  // without the turns, which are most of the record
    for (const auto& [key, value] : dialogue.items()) {
      if (key != "turns") common[key] = value;
    }
    common["dialogue"] = stages::dialogue_of(dialogue);
    common["rounds"] = rounds.size();
    for (const size_t round : chosen) outcome.records.push_back(record_of(common, turns, rounds[round], round));
    return outcome;
  }

  json record_of(json record, const json& turns, size_t place, size_t round) const {
    record["id"] = record.at("id").get<std::string>() + "/" + std::to_string(round);
    record["round"] = round;
    json& history = record["history"] = json::array();
    const size_t first = most_turns_ > 0 && place > most_turns_ ? place - most_turns_ : 0;
    history.get_ref<json::array_t&>().reserve(place - first);
    for (size_t i = first; i < place; ++i) {
      json& turn = history.emplace_back(json::value_t::object);  // an initializer list would copy the strings twice
      turn["role"] = turns[i].at("role");
      turn["text"] = turns[i].at("text");
      const auto shown = turns[i].find("pictures");
      if (shown != turns[i].end()) turn["pictures"] = *shown;
    }
    record["reference"] = stages::one_line(turns[place].at("text").get_ref<const std::string&>());
    if (turns[place].contains("labels")) record["labels"] = turns[place].at("labels");
    if (turns[place - 1].contains("labels")) record["seeker"]["before"] = turns[place - 1].at("labels");
    if (place + 1 < turns.size() && turns[place + 1].contains("labels"))
      record["seeker"]["after"] = turns[place + 1].at("labels");
    return record;
  }

  Host& host_;
  const size_t wanted_, most_turns_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, sample, SampleStage, R"json(
  "version": "1.0.0",
  "summary": "A few rounds of each dialogue, mostly from its middle (Eq. 1).",
  "parameters": {
    "rounds": {"type": "integer", "default": 4, "min": 1, "help": "maximum rounds per dialogue (N_s)"},
    "turns": {"type": "integer", "default": 0, "min": 0, "help": "maximum turns of a history, the last ones; 0: all"}
  })json")
