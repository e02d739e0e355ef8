#pragma once
#include <functional>
#include <map>

#include "../built.h"
#include "compeer/chat.h"
#include "places.h"

/// Fixture for stages that use chat models, with answers given by the test.
namespace compeer::asked {

using nlohmann::json;

/// Returns the reply to a prompt; `draw` is the number of the attempt.
using Answer = std::function<ChatReply(const std::string& prompt, uint32_t draw)>;

/// Return a reply with this text, and one of a failed request.
inline ChatReply says(const std::string& text) { return {text, true, "", 0, 0}; }
inline ChatReply fails() { return {"", true, "timed out", 0, 0}; }

/// A chat model that answers by a function and records its requests.
struct Model : Chat {
  explicit Model(Answer f) : answer_(std::move(f)) {}

  // In reverse order, because stages must not rely on the order.
  void answer(const std::vector<ChatRequest>& requests, const OnReply& arrived) override {
    ++batches;
    for (size_t i = requests.size(); i-- > 0;) {
      prompts.push_back(requests[i].turns.back().text);
      for (const Turn& turn : requests[i].turns) all_turns.push_back(turn.text);
      pictures.push_back(requests[i].turns.back().pictures);
      choices.push_back(requests[i].choices);
      arrived(i, answer_(prompts.back(), requests[i].sample_index));
    }
  }
  std::string model() const override { return "model"; }
  void unreadable(const ChatRequest&, const std::string& answer, bool again) override {
    refused.push_back(answer + (again ? ", again" : ""));
  }

  std::vector<std::string> prompts, refused;       // last turn of each request; answers that a stage could not parse
  std::vector<std::string> all_turns;              // turns of all roles
  std::vector<std::vector<std::string>> pictures;  // images sent with each prompt
  std::vector<std::vector<std::string>> choices;   // allowed answers of each request
  size_t batches = 0;                              // calls of `answer`

 private:
  Answer answer_;
};

/// A stage's host. It offers chat models by the names in settings: {"plugin": "x", "name": "first"}.
class World : public Host {
 public:
  /// `models`: name -> model, not owned; `random`: result of every call of `random`.
  World(std::map<std::string, Model*> models, double random = 0.9) : models_(std::move(models)), random_(random) {}

  void log(const std::string&) override {}
  double random(uint32_t, uint32_t, uint32_t) override { return random_; }
  Similarity& similarity(const Settings&) override { throw std::logic_error("no similarity here"); }
  Chat& chat(const Settings& choice) override { return *models_.at(choice.text("name")); }
  const TextTokenizer& tokenizer() const override { throw std::logic_error("no tokenizer here"); }
  LanguageModel& language_model(const std::string&) override { throw std::logic_error("no language_model here"); }
  std::vector<std::vector<float>> embed(const std::vector<std::string>&) override { return {}; }
  std::string folder() const override { return std::string(COMPEER_BINARY_DIR) + "/plugins/stages"; }
  bool cancelled() const override { return false; }

 private:
  std::map<std::string, Model*> models_;
  double random_;
};

/// Passes the summaries of all records to a stage, as the host does before it makes any.
inline void add_summary(plugin::Plugin<Stage>& stage, const std::vector<json>& records) {
  if (!stage.call("needs_summaries", [](Stage& s) { return s.needs_summaries(); })) return;
  for (const json& one : records) stage.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
}

/// Returns the setting that chooses the model with this name.
inline json named(const std::string& name) { return {{"plugin", "x"}, {"name", name}}; }

/// Returns the outcomes of records in a stage. `setting`: name of the setting that chooses `model`.
inline std::vector<Outcome> make(const std::string& stage, Model& model, const std::vector<json>& records,
                                 json settings = json::object(), const std::string& setting = "chat") {
  settings[setting] = named("it");
  auto plugin =
      built::open<Stage>(stage, settings, std::make_unique<World>(std::map<std::string, Model*>{{"it", &model}}));
  add_summary(plugin, records);
  return plugin::make(plugin, records);
}

/// Return records: a dialogue of two turns; one round of it, with a completion.
inline json dialogue(const std::string& id) {
  return {
      {"id", id},
      {"turns", {{{"role", "user"}, {"text", "I am sad " + id}}, {{"role", "assistant"}, {"text", "What happened?"}}}}};
}
inline json round(const std::string& id) {
  return {{"id", id},
          {"history", {{{"role", "user"}, {"text", "I am sad " + id}}}},
          {"reference", "What happened?"},
          {"candidates", {{{"history", "h"}, {"emotion", "e"}, {"strategy", "s"}, {"reply", "Tell me " + id}}}}};
}

}  // namespace compeer::asked
