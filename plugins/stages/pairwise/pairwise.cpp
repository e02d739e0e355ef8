/// pairwise: compares the replies of two models. A record with "answers" (stage answer) becomes a record for each pair
/// of models, {"candidates": [{"reply", "model"}, {"reply", "model"}]}. A chat model compares each pair in both orders,
/// or people do (`compeer data annotate`, in a random order). An empty reply loses; if both are empty, neither is good.
/// Records with a "preference", as `compeer data merge` writes them, are only counted.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compeer/plugin.h"
#include "empathy/plain.h"
#include "empathy/reading.h"
#include "stages/asking.h"
#include "stages/pairwise/matches.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;
using stages::Match;

class Pairwise : public Stage {
 public:
  Pairwise(const Settings& settings, Host& host)
      : asking_(settings, "judge"),
        prompts_(settings, host, "judge", "preference", {"history", "first", "second", "answers"}),
        preferences_(settings.texts("preference_words")),
        against_(settings, "against", "an answer of"),
        sees_(settings.text("pictures") == "shown"),
        resampling_{static_cast<size_t>(settings.integer("resamples")), 1, 0.95} {
    if (settings.has("judge")) judge_ = &host.chat(settings.table("judge"));
  }

  // Checks that some record has an answer of the model in `against`.
  bool needs_summaries() const override { return bool(against_); }
  std::string summary(const json& record) const override {
    return against_.summary(record.value("answers", json::object()));
  }
  void add_summary(const std::string& summary) override { against_.add_summary(summary); }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    against_.require_found();
    std::vector<Outcome> outcomes(records.size());
    std::vector<Compared> all;
    for (size_t i = 0; i < records.size(); ++i) {
      for (auto& pair : pairs_of(records[i])) all.push_back({i, std::move(pair), {}, {}});
    }
    const auto malformed = judge_ ? ask(all) : 0;
    for (auto& one : all) take(one, records[one.of], outcomes[one.of]);
    for (Outcome& outcome : outcomes) {
      if (outcome.records.empty()) outcome.dropped = outcome.counts.empty() ? "nothing to compare" : "not compared";
    }
    if (!outcomes.empty()) stages::count_malformed(malformed, outcomes);
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    return stages::comparison(counts, resampling_);
  }

  std::string cache_key() const override { return prompts_.hashes(); }

 private:
  struct Compared {
    size_t of;  // index of the record
    json pair;
    std::array<std::optional<empathy::Preference>, 2> said;  // in this order, and in the reverse one
    std::array<std::string, 2> refusals;
  };

  // Returns the record itself if it is a pair, otherwise a record for each two of its answers.
  std::vector<json> pairs_of(const json& record) const {
    if (!record.contains("answers"))
      return record.contains("candidates") ? std::vector{two(record)} : std::vector<json>{};
    const auto names = names_in(record);
    std::vector<json> pairs;
    for (size_t a = 0; a < names.size(); ++a) {
      for (size_t b = a + 1; b < names.size(); ++b) {
        const bool turn = against_ && names[b] == against_.name();
        if (!against_ || names[a] == against_.name() || turn)
          pairs.push_back(turn ? pair(record, names[b], names[a]) : pair(record, names[a], names[b]));
      }
    }
    return pairs;
  }

  // Returns a record that is a pair already; refuses a comparison of a model with itself.
  static const json& two(const json& record) {
    const auto name = text(record, 0, "model");
    if (name == text(record, 1, "model"))
      stages::refuse(record, "compares '" + name + "' with itself", "give its two candidates different names");
    return record;
  }

  static std::vector<std::string> names_in(const json& record) {
    std::vector<std::string> names;
    const json& answers = record.at("answers");
    bool texts = answers.is_object() && record.contains("history");
    for (const auto& [name, answer] : answers.items()) {
      texts = texts && answer.is_object() && answer.contains("text") && answer.at("text").is_string();
      names.push_back(name);
    }
    if (!texts)
      stages::refuse(
          record, "has answers that can't be compared",
          R"(run the stage answer first, which writes {"history": [...], "answers": {"model": {"text": "..."}}})");
    return names;
  }

  static json pair(const json& record, const std::string& first, const std::string& second) {
    json made = {{"id", record.at("id").get<std::string>() + "/" + first + "~" + second},
                 {"dialogue", stages::dialogue_of(record)},
                 {"history", record.at("history")}};
    if (record.contains("language")) made["language"] = record.at("language");
    for (const auto& name : {first, second})
      made["candidates"].push_back({{"reply", record.at("answers").at(name).at("text")}, {"model", name}});
    return made;
  }

  int64_t ask(std::vector<Compared>& all) const {
    std::vector<stages::ChatQuestion> questions;
    std::vector<std::string*> refusals;
    for (Compared& one : all) {
      if (one.pair.contains("preference") || decided_by_silence(one.pair) || equal(one.pair)) continue;
      const auto pictures = stages::pictures_of(stages::history_of(one.pair), sees_);
      for (const bool turn : {false, true}) {
        refusals.push_back(&one.refusals[turn]);
        questions.push_back({prompt(one.pair, turn),
                             [this, &one, turn](const std::string& answer) {
                               const auto read = empathy::read(preferences_, answer);
                               if (read) one.said[turn] = turn ? empathy::swapped(*read.value) : *read.value;
                               return read.refusal;
                             },
                             pictures, preferences_.answers().answers()});
      }
    }
    const auto malformed = stages::ask(*judge_, questions, asking_);
    for (size_t i = 0; i < questions.size(); ++i) *refusals[i] = questions[i].refusal;
    return malformed;
  }

  std::string prompt(const json& pair, bool turn) const {
    return prompts_.fill(pair, {{"history", stages::shown(stages::history_of(pair), pair)},
                                {"first", text(pair, turn ? 1 : 0, "reply")},
                                {"second", text(pair, turn ? 0 : 1, "reply")},
                                {"answers", empathy::listed(preferences_.answers().answers())}});
  }

  // Returns the trimmed text of a reply; empty if the record lacks it, as people's verdicts may.
  static std::optional<std::string> said(const json& pair, size_t which) {
    const json& candidates = pair.at("candidates");
    if (!candidates.is_array() || which >= candidates.size() || !candidates[which].is_object()) return std::nullopt;
    const auto reply = candidates[which].find("reply");
    if (reply == candidates[which].end() || !reply->is_string()) return std::nullopt;
    return std::string(empathy::trim(reply->get_ref<const std::string&>()));
  }

  // Returns the preference if a reply is empty, which needs no judge.
  static std::optional<empathy::Preference> decided_by_silence(const json& pair) {
    const bool first = said(pair, 0) == "", second = said(pair, 1) == "";
    if (first && second) return empathy::Preference::neither;
    if (first) return empathy::Preference::second;
    return second ? std::optional(empathy::Preference::first) : std::nullopt;
  }

  // Equal replies need no judge either.
  static bool equal(const json& pair) { return said(pair, 0) && said(pair, 0) == said(pair, 1); }

  // Counts the result of a pair and adds its record to the outcome.
  void take(Compared& one, const json& record, Outcome& outcome) const {
    for (const auto& refusal : one.refusals) {
      if (refusal.empty()) continue;
      outcome.counts["not compared: " + refusal] += 1;
      return;
    }
    if (auto match = match_of(one)) {
      stages::count(record, *match, outcome);
      one.pair["preference"] = preferences_.print(as_one(*match));
      if (match->reverse_order) {
        one.pair["orders"] = {preferences_.print(match->preference), preferences_.print(*match->reverse_order)};
        outcome.counts["contradictory"] += match->contradictory();
      }
    } else {
      outcome.counts["to be judged by people"] += 1;
    }
    if (decided_by_silence(one.pair)) {
      outcome.counts["decided by silence"] += 1;
    } else if (equal(one.pair)) {
      outcome.counts["equal replies"] += 1;
    }
    outcome.records.push_back(std::move(one.pair));
  }

  // Returns nothing if the pair has not been judged yet.
  std::optional<Match> match_of(const Compared& one) const {
    const auto& pair = one.pair;
    const auto silence = decided_by_silence(pair);
    if (!silence && !one.said[0] && !pair.contains("preference") && !equal(pair)) return std::nullopt;
    Match match{text(pair, 0, "model"), text(pair, 1, "model"), {}, {}};
    if (silence) {
      match.preference = *silence;
    } else if (one.said[0]) {
      match.preference = *one.said[0], match.reverse_order = one.said[1];
    } else if (pair.contains("orders")) {
      const json& orders = pair.at("orders");
      if (!orders.is_array() || orders.size() != 2)
        stages::refuse(pair, "its 'orders' must be a list of two: " + orders.dump(),
                       R"(as in "orders": ["first", "second"])");
      match.preference = read(pair, orders[0]), match.reverse_order = read(pair, orders[1]);
    } else if (pair.contains("preference")) {
      match.preference = read(pair, pair.at("preference"));
    } else {
      match.preference = empathy::Preference::both;  // they are equal
    }
    return match;
  }

  // Returns one preference for both orders: if they differ, a tie.
  static empathy::Preference as_one(const Match& match) {
    return match.reverse_order && *match.reverse_order != match.preference ? empathy::Preference::both
                                                                           : match.preference;
  }

  static std::string text(const json& pair, size_t which, const char* key) {
    const json& candidates = pair.at("candidates");
    if (candidates.is_array() && candidates.size() == 2 && candidates[which].is_object()) {
      const auto found = candidates[which].find(key);
      if (found != candidates[which].end() && found->is_string()) return *found;
    }
    stages::refuse(pair, std::string("does not have two candidates with a '") + key + "'",
                   R"(write pairs as {"candidates": [{"reply", "model"}, {"reply", "model"}]})");
  }

  empathy::Preference read(const json& pair, const json& word) const {
    const auto found = word.is_string() ? preferences_.parse(word.get<std::string>())
                                        : empathy::ParseResult<empathy::Preference>{{}, "is no text"};
    if (found) return *found.value;
    stages::refuse(pair, "its preference can't be read: " + word.dump(),
                   "known: " + empathy::listed(preferences_.answers().answers()));
  }

  const stages::Asking asking_;
  const stages::StagePrompt prompts_;
  const empathy::Preferences preferences_;
  stages::Expected against_;
  const bool sees_;
  const statistics::Resampling resampling_;
  Chat* judge_ = nullptr;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, pairwise, Pairwise, R"json(
  "version": "1.0.0",
  "summary": "Compares replies of two models: shares of wins, ties and losses, by a chat model or by people (Fig. 6).",
  "parameters": {
    "judge": {"type": "plugin", "kind": "chat", "default": null,
      "help": "chat model that compares, in both orders; unset: people (compeer data annotate)"},
    "against": {"type": "string", "default": null,
      "help": "name of the model that is compared with every other one; unset: all pairs"},
    "pictures": {"type": "string", "default": "shown", "choices": ["shown", "left_out"],
      "help": "whether to send a dialogue's pictures to the judge; use left_out for models without vision"},
    "prompts": {"type": "path", "default": null, "help": "folder with en/preference.txt; unset: the plugin's own"},
    "preference_words": {"type": "list", "items": "string", "default": ["first", "second", "both good", "neither"],
      "help": "answers, in this order; the last two are ties; other words require prompts that explain them"},
    "temperature": {"type": "number", "default": 0.0, "min": 0,
      "help": "sampling temperature of the judge; 0: greedy decoding"},
    "max_tokens": {"type": "integer", "default": 16, "min": 1, "help": "maximum tokens per answer"},
    "tries": {"type": "integer", "default": 3, "min": 1,
      "help": "maximum attempts per question until the answer is readable"},
    "resamples": {"type": "integer", "default": 1000, "min": 0,
      "help": "bootstrap resamples for the intervals; 0: no intervals"}
  })json")
