/// generate: asks one or two chat models for three-step reasoning and a reply to each sampled round. Every completion
/// in the format becomes a record, with {"candidates": [{"history", "emotion", "strategy", "reply", "model"}]} next to
/// the reference it will be compared with.
#include "compeer/plugin.h"
#include "empathy/reading.h"
#include "stages/asking.h"

namespace {

using namespace compeer;
using nlohmann::json;

class Generate : public Stage {
 public:
  Generate(const Settings& settings, Host& host) : sees_(settings.text("pictures") == "shown") {
    for (const std::string writer : {"writer", "second_writer"}) {
      if (settings.has(writer))
        writers_.push_back(
            {host.chat(settings.table(writer)), {settings, writer}, {settings, host, writer, "generate", {"history"}}});
    }
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes(records.size());
    for (size_t w = 0; w < writers_.size(); ++w) add(w, records, outcomes);
    for (Outcome& outcome : outcomes) {
      if (outcome.records.empty()) outcome.dropped = "no completion in the format";
      if (!outcome.records.empty()) outcome.answer.clear();
    }
    return outcomes;
  }

  std::string cache_key() const override {
    std::string all;
    for (const WriterModel& writer : writers_) all += writer.prompts.hashes();
    return all;
  }

 private:
  struct WriterModel {
    Chat& chat;
    stages::Asking asking;
    stages::StagePrompt prompts;
  };

  // Adds the completions of one writer to the outcomes.
  void add(size_t number, const std::vector<json>& records, std::vector<Outcome>& outcomes) {
    const auto& [chat, asking, prompts] = writers_[number];
    std::vector<empathy::Structured> written(records.size());
    std::vector<stages::ChatQuestion> questions;
    for (size_t i = 0; i < records.size(); ++i) {
      const auto history = stages::history_of(records[i]);
      questions.push_back({prompts.fill(records[i], {{"history", stages::shown(history, records[i])}}),
                           [&, i](const std::string& answer) {
                             auto parsed = empathy::read_completion(answer);
                             if (parsed) written[i] = std::move(*parsed.value);
                             return parsed.refusal;
                           },
                           stages::pictures_of(history, sees_)});
    }
    const auto malformed = stages::ask(chat, questions, asking);
    if (!outcomes.empty()) outcomes[0].counts["completions not in the format"] += static_cast<double>(malformed);
    const auto model = chat.model();
    for (size_t i = 0; i < records.size(); ++i) {
      const auto writer = "writer " + std::to_string(number + 1);
      outcomes[i].counts[writer + ": " + (questions[i].refusal.empty() ? "completions" : questions[i].refusal)] += 1;
      outcomes[i].answer = questions[i].answer;
      if (!questions[i].refusal.empty()) continue;
      json made = stages::copy_of(records[i], std::string(1, static_cast<char>('a' + number)));
      stages::note_provenance(made, "candidates", model, prompts.of(records[i]));
      made["candidates"] = json::array({stages::candidate_of(written[i], model)});
      outcomes[i].records.push_back(std::move(made));
    }
  }

  const bool sees_;
  std::vector<WriterModel> writers_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, generate, Generate, R"json(
  "version": "1.0.0",
  "summary": "Three-step reasoning and a reply for each round, by one or two chat models.",
  "parameters": {
    "writer": {"type": "plugin", "kind": "chat", "help": "chat model that writes completions"},
    "second_writer": {"type": "plugin", "kind": "chat", "default": null, "help": "second writer; unset: none"},
    "pictures": {"type": "string", "default": "shown", "choices": ["shown", "left_out"],
      "help": "whether to send a dialogue's pictures to the writers; use left_out for models without vision"},
    "prompts": {"type": "path", "default": null, "help": "folder with en/generate.txt; unset: the plugin's own"},
    "temperature": {"type": "number", "default": 0.7, "min": 0, "help": "sampling temperature; 0: greedy decoding"},
    "max_tokens": {"type": "integer", "default": 512, "min": 1, "help": "maximum tokens per answer"},
    "tries": {"type": "integer", "default": 3, "min": 1, "help": "maximum attempts until a completion is in the format"}
  })json")
