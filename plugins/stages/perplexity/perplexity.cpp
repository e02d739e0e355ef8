/// perplexity: computes how likely a model finds people's replies, over the tokens of each right record's reply and its
/// end, given the steps made from people's labels. Keeps records unchanged.
#include <cmath>
#include <memory>

#include "compeer/language_model.h"
#include "compeer/plugin.h"
#include "judging/trained_judge.h"
#include "stages/by_dialogue.h"
#include "stages/human_labels/labels.h"
#include "stages/records.h"
#include "statistics/bootstrap.h"
#include "text/words.h"

namespace {

using namespace compeer;
using nlohmann::json;

class Perplexity : public Stage {
 public:
  Perplexity(const Settings& settings, Host& host)
      : model_(host.language_model(settings.text("model"))),
        weights_(judging::weights_of(settings.text("model"))),
        system_(settings.has("system") ? settings.text("system") : ""),
        steps_(settings.flag("steps")),
        resampling_{static_cast<size_t>(settings.integer("resamples")), 1, 0.95} {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes(records.size(), stages::dropped("borrowed in part, or without labels by people"));
    std::vector<std::unique_ptr<Conversation>> conversations;
    std::vector<Conversation*> lent;
    std::vector<std::string> texts;
    std::vector<size_t> places;
    for (size_t i = 0; i < records.size(); ++i) {
      const json& record = records[i];
      if (!stages::is_right(record)) continue;
      places.push_back(i);
      conversations.push_back(model_.begin(history_of(record)));
      const auto written = written_in(record);
      texts.push_back(steps_ ? empathy::print_steps(written) + "\n" : "");  // the text before the reply
      texts.push_back(steps_ ? empathy::print(written) : written.reply);
      lent.insert(lent.end(), 2, conversations.back().get());
    }
    const auto scores = model_.score(lent, texts);
    for (size_t k = 0; k < places.size(); ++k)
      outcomes[places[k]] = counted(records[places[k]], scores[2 * k].size() - 1, scores[2 * k + 1]);
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    const auto dialogues = stages::by_dialogue(counts);
    const auto per = [&](const char* unit) {
      return stages::interval_json(statistics::bootstrap(
          dialogues.size(),
          [&](std::span<const size_t> rows) {
            double log_prob = 0, units = 0;
            for (const size_t row : rows) log_prob += dialogues[row].at("log_prob"), units += dialogues[row].at(unit);
            return std::exp(-log_prob / units);
          },
          resampling_));
    };
    return {
        {"of_tokens", per("tokens")}, {"of_words", per("words")}, {"better", {{"lower", {"of_tokens", "of_words"}}}}};
  }

  std::string cache_key() const override { return weights_; }

 private:
  std::vector<Turn> history_of(const json& record) const {
    auto turns = stages::spoken(stages::history_of(record));
    if (!system_.empty()) turns.insert(turns.begin(), {"system", system_, {}});
    return turns;
  }

  static empathy::Structured written_in(const json& record) {
    const json& one = record.at("candidates").at(0);
    return {one.at("history"), one.at("emotion"), one.at("strategy"), one.at("reply")};
  }

  // Counts the tokens after the first `before` ones, including the end token.
  static Outcome counted(const json& record, size_t before, const std::vector<float>& log_probs) {
    Outcome outcome = stages::unchanged();
    double sum = 0;
    for (size_t i = before; i < log_probs.size(); ++i) sum += log_probs[i];
    const auto count = [&](const char* name, double value) {
      outcome.counts[stages::dialogue_count_name(record, name)] = value;
    };
    count("log_prob", sum);
    count("tokens", static_cast<double>(log_probs.size() - before));
    count("words", static_cast<double>(text::words(written_in(record).reply).size()));
    return outcome;
  }

  LanguageModel& model_;
  const std::string weights_, system_;
  const bool steps_;
  const statistics::Resampling resampling_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, perplexity, Perplexity, R"json(
  "version": "1.0.0",
  "summary": "Perplexity of people's replies after correct steps, per token and per word.",
  "parameters": {
    "model": {"type": "path", "help": "a model's folder, such as a run's checkpoints/last"},
    "system": {"type": "string", "default": null, "contents_of": "system_file",
      "help": "system message that the model was trained with"},
    "system_file": {"type": "path", "default": null, "help": "file with the text of 'system'"},
    "steps": {"type": "boolean", "default": true, "help": "false: for a model that answers without steps"},
    "resamples": {"type": "integer", "default": 1000, "min": 0,
      "help": "bootstrap resamples for the intervals; 0: no intervals"}
  })json")
