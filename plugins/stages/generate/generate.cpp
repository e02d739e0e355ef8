/// generate: asks two chat models for three-step reasoning and a reply to each sampled round. Every completion in the
/// format becomes a record of its own, {"candidates": [{"history", "emotion", "strategy", "reply", "model"}]}, beside
/// the reference it will be compared with.
#include "compeer/plugin.h"
#include "empathy/labels.h"
#include "empathy/reading.h"
#include "stages/asking.h"

namespace {

using namespace compeer;
using nlohmann::json;

template <class Labels>
std::string names_of(const Labels& labels) {
  std::vector<std::string> names;
  for (const auto label : labels) names.emplace_back(empathy::name(label));
  return empathy::listed(names);
}

class Generate : public Stage {
 public:
  Generate(const Settings& settings, Host& host)
      : asking_(settings),
        prompts_(settings, host, "generate", {"id", "history", "stages", "emotions", "strategies"}),
        stages_(given(settings, "stages", empathy::stages)),
        emotions_(given(settings, "emotions", empathy::emotions)),
        strategies_(given(settings, "strategies", empathy::strategies)) {
    for (const char* writer : {"writer", "second_writer"}) {
      if (settings.has(writer)) writers_.push_back(&host.chat(settings.table(writer)));
    }
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes(records.size());
    for (size_t w = 0; w < writers_.size(); ++w) add(*writers_[w], w, records, outcomes);
    for (Outcome& outcome : outcomes) {
      if (outcome.records.empty()) outcome.dropped = "no completion in the format";
      if (!outcome.records.empty()) outcome.answer.clear();
    }
    return outcomes;
  }

  std::string ingredients() const override { return prompts_.hashes(); }

 private:
  template <class Labels>
  static std::string given(const Settings& settings, const char* key, const Labels& standard) {
    const auto words = settings.texts(key);
    return words.empty() ? names_of(standard) : empathy::listed(words);
  }

  void add(Chat& chat, size_t number, const std::vector<json>& records, std::vector<Outcome>& outcomes) {
    std::vector<empathy::Structured> written(records.size());
    std::vector<stages::Question> questions;
    for (size_t i = 0; i < records.size(); ++i) {
      questions.push_back({prompt(records[i]), [&, i](const std::string& answer) {
                             auto parsed = empathy::read_completion(answer);
                             if (parsed) written[i] = std::move(*parsed.value);
                             return parsed.refusal;
                           }});
    }
    const auto malformed = stages::ask(chat, questions, asking_);
    if (!outcomes.empty()) outcomes[0].counts["completions not in the format"] += static_cast<double>(malformed);
    const auto model = chat.model();
    for (size_t i = 0; i < records.size(); ++i) {
      const auto writer = "writer " + std::to_string(number + 1);
      outcomes[i].counts[writer + ": " + (questions[i].refusal.empty() ? "completions" : questions[i].refusal)] += 1;
      if (questions[i].refusal.empty()) outcomes[i].records.push_back(record_of(records[i], written[i], model, number));
      outcomes[i].answer = questions[i].answer;
    }
  }

  json record_of(json record, const empathy::Structured& written, const std::string& model, size_t number) const {
    stages::note_provenance(record, "candidates", model, prompts_.of(record));
    record["id"] = record.at("id").get<std::string>() + "/" + std::string(1, static_cast<char>('a' + number));
    record["candidates"] = json::array({stages::candidate_of(written, model)});
    return record;
  }

  std::string prompt(const json& record) const {
    return prompts_.of(record).fill({{"id", record.at("id")},
                                     {"history", stages::shown(stages::history_of(record), record)},
                                     {"stages", stages_},
                                     {"emotions", emotions_},
                                     {"strategies", strategies_}});
  }

  stages::Asking asking_;
  stages::Prompts prompts_;
  std::string stages_, emotions_, strategies_;
  std::vector<Chat*> writers_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, generate, Generate, R"json(
  "version": "1.0.0",
  "summary": "Three-step reasoning and a reply for each round, by one or two chat models.",
  "parameters": {
    "writer": {"type": "plugin", "kind": "chat", "help": "who writes"},
    "second_writer": {"type": "plugin", "kind": "chat", "default": null, "help": "who writes too; unset: nobody"},
    "prompts": {"type": "path", "default": null, "help": "folder with en/generate.txt; unset: the plugin's own"},
    "stages": {"type": "list", "items": "string", "default": [], "help": "labels of step 1; empty: the usual three"},
    "emotions": {"type": "list", "items": "string", "default": [], "help": "labels of step 2; empty: the usual eight"},
    "strategies": {"type": "list", "items": "string", "default": [], "help": "labels of step 3; empty: ESConv's eight"},
    "temperature": {"type": "number", "default": 0.7, "min": 0, "help": "of the answers; 0: the likeliest"},
    "max_tokens": {"type": "integer", "default": 512, "min": 1, "help": "of an answer"},
    "tries": {"type": "integer", "default": 3, "min": 1, "help": "a completion out of the format is asked for so often"}
  })json")
