// my_plugin: asks a chat model about every reply, and gives 1 for "yes", 0 for "no".
#include <compeer/chat.h>
#include <compeer/plugin.h>
#include <compeer/reward.h>

#include <cctype>
#include <cmath>

namespace {

// Returns no opinion unless the answer begins with "yes" or "no".
double opinion(const std::string& answer) {
  std::string word;
  for (const char c : answer.substr(0, 3)) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word == "yes") return 1;
  if (word.starts_with("no")) return 0;
  return compeer::no_opinion;
}

class MyPlugin : public compeer::Reward {
 public:
  // Every key of the descriptor below is present, with a valid type and range. The judge is a plugin as well: the host
  // creates it with its own settings and owns it.
  MyPlugin(const compeer::Settings& settings, compeer::Host& host)
      : judge_(host.chat(settings.table("judge"))), question_(settings.text("question")) {}

  // If true, `score_all` is called as soon as a group is complete, while other groups are still being sampled.
  bool is_async() const override { return judge_.is_async(); }

  // A judge may fail or give an unusable answer. Then only the other rewards count.
  bool abstains() const override { return true; }

  // Sends all requests at once, so that an endpoint can process them concurrently.
  std::vector<compeer::Scores> score_all(std::span<const compeer::Group> groups) override {
    std::vector<compeer::ChatRequest> requests;
    for (const auto& group : groups)
      for (const auto& completion : group.completions) requests.push_back(request(group.example, completion.text));
    std::vector<double> found(requests.size(), compeer::no_opinion);
    judge_.answer(requests, [&](size_t i, compeer::ChatReply reply) {
      if (!reply.failure.empty()) return;
      found[i] = opinion(reply.text);
      if (std::isnan(found[i])) judge_.unreadable(requests[i], reply.text, false);
    });
    std::vector<compeer::Scores> all(groups.size());
    auto next = found.begin();
    for (size_t g = 0; g < groups.size(); ++g) {
      for (size_t i = 0; i < groups[g].completions.size(); ++i) all[g]["reward"].push_back(*next++);
    }
    return all;
  }

 private:
  compeer::ChatRequest request(const compeer::Example& example, const std::string& reply) const {
    std::string text;
    for (const auto& turn : example.history) text += turn.role + ": " + turn.text + "\n";
    text += "reply: " + reply + "\n\n" + question_ + " Answer yes or no.";
    return {.turns = {{"user", text}}, .max_tokens = 8, .choices = {"yes", "no"}};
  }

  compeer::Chat& judge_;
  std::string question_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, my_plugin, MyPlugin, R"json(
  "version": "1.0.0",
  "summary": "Asks a chat model a question about every reply.",
  "columns": ["reward"],
  "parameters": {
    "judge": {"type": "plugin", "kind": "chat", "help": "chat model that judges"},
    "question": {"type": "string", "default": "Does the reply show that it has understood how the other feels?",
      "help": "question with the answers yes and no"}
  })json")
