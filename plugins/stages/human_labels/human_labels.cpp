/// human_labels: makes completions from people's replies and labels, without a chat model. Each round of a corpus
/// becomes a record whose candidate has three steps made from labels and the supporter's own reply. All are right, and
/// the reply is better than the "reference", which is taken from another dialogue. Wrong records are added whose steps,
/// reply or both are taken from dialogues at the same relative position, so that neither style nor position reveals
/// them. Adds "people": the labels of each step.
#include <array>
#include <cmath>
#include <unordered_map>

#include "compeer/plugin.h"
#include "stages/human_labels/labels.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;
using stages::LabelTemplate;

constexpr std::array<const char*, 3> step_names = {"history", "emotion", "strategy"};
constexpr size_t reply = step_names.size();
constexpr double parts_of_a_completion = reply + 1;

// Indices of the random numbers of a record.
enum : uint32_t { borrowed, from = borrowed + reply + 1 };

/// A round: its position, people's labels and the reply.
struct LabelledRound {
  // `place`: the split and the relative position in the dialogue; rounds of the same place lend to each other.
  std::string id, dialogue, place;
  std::array<LabelTemplate::Step, 3> steps;
  std::string reply;
};

class HumanLabels : public Stage {
 public:
  HumanLabels(const Settings& settings, Host& host)
      : host_(host),
        wrong_(static_cast<size_t>(settings.integer("wrong"))),
        borrow_(1 - std::pow(1.0 + static_cast<double>(wrong_), -1.0 / parts_of_a_completion)),
        parts_(settings.integer("parts")) {
    for (const char* step : step_names) templates_.emplace_back(step, settings.text(step));
  }

  bool needs_summaries() const override { return true; }

  std::string summary(const json& record) const override {
    if (!refusal(record).empty()) return "";
    const LabelledRound round = read(record);
    json steps = json::array();
    for (const auto& step : round.steps) steps.push_back({step.text, step.values});
    return json{round.id, round.dialogue, round.place, std::move(steps), round.reply}.dump();
  }

  void add_summary(const std::string& summary) override {
    if (summary.empty()) return;
    const json seen = json::parse(summary);
    LabelledRound round{seen[0], seen[1], seen[2], {}, seen[4]};
    for (size_t step = 0; step < reply; ++step) round.steps[step] = {seen[3][step][0], seen[3][step][1], ""};
    rounds_[round.place].push_back(std::move(round));
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes;
    for (const json& record : records) {
      const auto why = refusal(record);
      outcomes.push_back(why.empty() ? labelled(record) : stages::dropped(why));
    }
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    const auto count = [&](const std::string& name) {
      const auto found = counts.find(name);
      return found == counts.end() ? 0.0 : found->second;
    };
    json wrong = json::object();
    for (size_t part = 0; part <= reply; ++part)
      wrong[name_of(part)] = {{"value", count("wrong: " + name_of(part)) / std::max(count("records"), 1.0)},
                              {"low", nullptr},
                              {"high", nullptr}};
    return {{"wrong", wrong}};
  }

 private:
  static std::string name_of(size_t part) { return part == reply ? "reply" : step_names[part]; }

  // Returns why no record can be made from it, or "".
  std::string refusal(const json& record) const {
    if (!record.contains("history") || !record.contains("reference")) return "no round: the stage sample draws them";
    for (const auto& made : templates_) {
      const auto step = made.of(record);
      const auto names = stages::names_of(record);
      if (!step.missing.empty())
        return "no label '" + step.missing + "'; " + (names.empty() ? "there is none" : "there are: " + names);
    }
    const LabelledRound round = read(record);
    try {
      empathy::print({round.steps[0].text, round.steps[1].text, round.steps[2].text, round.reply});
    } catch (const std::invalid_argument&) {
      return "can't be written in three steps and a reply";
    }
    return "";
  }

  LabelledRound read(const json& record) const {
    LabelledRound round{record.at("id"),
                        stages::dialogue_of(record),
                        "",
                        {},
                        stages::one_line(record.at("reference").get<std::string>())};
    const auto at = record.value("round", int64_t{0}), rounds = std::max(record.value("rounds", int64_t{1}), at + 1);
    const json split = record.contains("split") ? record.at("split") : json();
    round.place = split.dump() + " " + std::to_string(at * parts_ / rounds);
    for (size_t step = 0; step < reply; ++step) round.steps[step] = templates_[step].of(record);
    return round;
  }

  Outcome labelled(json record) const {
    const LabelledRound round = read(record);
    const LabelledRound* other = lender(round, reply, 0);
    if (!other) return stages::dropped("nobody to borrow a reply from");
    for (size_t step = 0; step < reply; ++step) record["people"][step_names[step]] = round.steps[step].values;
    const json original = record;
    record["dialogue"] = round.dialogue;
    set(record, round, {}, other, false);
    Outcome outcome = stages::kept(std::move(record));
    outcome.counts["records"] = 1;
    for (size_t k = 1; k <= wrong_; ++k) add_wrong(original, round, k, outcome);
    return outcome;
  }

  // Over all records of a round, including the right one, each part is wrong equally often and independently of the
  // others; otherwise a judge would learn that wrong steps precede wrong replies. So each part is borrowed with the
  // probability that makes one of 1 + `wrong` records right, given that at least one part of these records is borrowed.
  void add_wrong(const json& original, const LabelledRound& round, size_t number, Outcome& outcome) const {
    std::array<const LabelledRound*, 3> steps{};
    bool any = false;
    const auto is_borrowed = [&](size_t part) {
      const double one_of_the_rest = 1 - std::pow(1 - borrow_, static_cast<double>(reply + 1 - part));
      return draw(round, static_cast<uint32_t>(borrowed + part), number) < (any ? borrow_ : borrow_ / one_of_the_rest);
    };
    for (size_t step = 0; step < reply; ++step) {
      if (is_borrowed(step)) steps[step] = lender(round, step, number);
      any = any || steps[step] != nullptr;
    }
    json record = stages::copy_of(original, number == 1 ? "wrong" : "wrong-" + std::to_string(number));
    set(record, round, steps, lender(round, reply, number), is_borrowed(reply));
    for (const auto& part : record.at("provenance").at("candidates").at("spoilt"))
      outcome.counts["wrong: " + part.get<std::string>()] += 1;
    outcome.counts["records"] += 1;
    outcome.records.push_back(std::move(record));
  }

  // Sets the candidate and its labels. With a wrong reply, the candidate has the other's reply and the reference is its
  // own.
  void set(json& record, const LabelledRound& own, const std::array<const LabelledRound*, 3>& steps,
           const LabelledRound* other, bool wrong_reply) const {
    const auto text = [&](size_t step) { return (steps[step] ? *steps[step] : own).steps[step].text; };
    record["candidates"] = json::array(
        {stages::candidate_of({text(0), text(1), text(2), wrong_reply ? other->reply : own.reply}, "people")});
    record["reference"] = wrong_reply ? own.reply : other->reply;
    record["steps"] = {{!steps[0], !steps[1], !steps[2]}};
    record["preference"] = wrong_reply ? "first" : "second";
    json from = {{wrong_reply ? "reply" : "reference", other->id}}, spoilt = json::array();
    for (size_t step = 0; step < reply; ++step) {
      if (!steps[step]) continue;
      from[step_names[step]] = steps[step]->id;
      spoilt.push_back(step_names[step]);
    }
    if (wrong_reply) spoilt.push_back("reply");
    record["provenance"]["candidates"] = {{"borrowed", std::move(from)}, {"spoilt", std::move(spoilt)}};
  }

  // Returns the round a part is borrowed from: a random one of the same place in another dialogue, or the next one
  // whose label (or reply) differs. Null if there is none.
  const LabelledRound* lender(const LabelledRound& round, size_t part, size_t number) const {
    const auto found = rounds_.find(round.place);
    if (found == rounds_.end()) return nullptr;
    const auto& others = found->second;
    const auto first = static_cast<size_t>(draw(round, static_cast<uint32_t>(from + part), number) *
                                           static_cast<double>(others.size()));
    for (size_t i = 0; i < others.size(); ++i) {
      const LabelledRound& other = others[(first + i) % others.size()];
      if (other.dialogue == round.dialogue) continue;
      if (part == reply ? other.reply != round.reply
                        : stages::disjoint(other.steps[part].values, round.steps[part].values))
        return &other;
    }
    return nullptr;
  }

  double draw(const LabelledRound& round, uint32_t what, size_t number) const {
    const auto [a, b] = stages::random_address(round.id);
    constexpr uint32_t of_one = from + reply + 1;
    return host_.random(a, b, static_cast<uint32_t>(number) * of_one + what);
  }

  Host& host_;
  const size_t wrong_;
  const double borrow_;
  const int64_t parts_;
  std::vector<LabelTemplate> templates_;
  std::unordered_map<std::string, std::vector<LabelledRound>> rounds_;  // by place
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, human_labels, HumanLabels, R"json(
  "version": "1.0.0",
  "summary": "Makes records from people's replies and labels; wrong steps and replies come from other dialogues.",
  "parameters": {
    "history": {"type": "string", "default": "{problem}",
      "help": "text of step 1, with labels of the corpus in braces"},
    "emotion": {"type": "string", "default": "{emotion}", "help": "text of step 2, likewise"},
    "strategy": {"type": "string", "default": "{strategy}", "help": "text of step 3, likewise"},
    "wrong": {"type": "integer", "default": 3, "min": 0, "max": 15,
      "help": "wrong records per correct one; each part is then wrong in .29 of all records for 3, in .16 for 1"},
    "parts": {"type": "integer", "default": 5, "min": 1,
      "help": "number of equal parts of a dialogue; wrong steps and replies come from the same part"}
  })json")
