/// esc_world: plays chat models for the dialogues of the generated world, so that data sets can be made from it
/// offline: writers with error profiles, annotators who know the truth and err, filter, persona reader, rewriter. It
/// recognises what it is asked by the prompts of plugins/stages, and finds the truth by the case they name.
#include "base/hash.h"
#include "chat/esc_world/player.h"
#include "compeer/chat.h"
#include "compeer/plugin.h"
#include "datasets/esc_world/world/settings.h"

namespace {

using namespace compeer;

esc_world::Profile profile_of(const Settings& settings) {
  esc_world::Profile profile;
  profile.writer = esc_world::usual(settings.text("writer")).writer;
  auto& errors = profile.writer.errors;
  for (double* rate : {&errors.history, &errors.emotion, &errors.strategy, &errors.follow, &errors.subject,
                       &errors.attunement, &errors.tone, &errors.grammar, &errors.format})
    *rate = std::min(1.0, *rate * settings.number("errors"));
  profile.seed = static_cast<uint32_t>(settings.integer("seed"));
  profile.annotator_noise = settings.number("annotator_noise");
  profile.first_bias = settings.number("first_bias");
  profile.persona_noise = settings.number("persona_noise");
  return profile;
}

class EscWorldChat : public Chat {
 public:
  EscWorldChat(const Settings& settings, Host& host)
      : host_(host),
        name_("esc_world-" + settings.text("writer") + "-" + std::to_string(settings.integer("seed"))),
        player_(esc_world::world_of(settings.table("world").json()), profile_of(settings)) {}

  void answer(const std::vector<ChatRequest>& requests, const Arrived& arrived) override {
    for (size_t i = 0; i < requests.size(); ++i) arrived(i, reply(requests[i]));
  }

  std::string model() const override { return name_; }

 private:
  ChatReply reply(const ChatRequest& request) const {
    const std::string& prompt = request.turns.back().text;
    const auto asked = esc_world::read_prompt(prompt);
    ChatReply made;
    if (!asked) {
      made.failure = "esc_world answers the prompts of the stages about its own dialogues, in English, and no others";
      return made;
    }
    const auto digits = sha256(name_ + "\n" + prompt);
    const auto place = static_cast<uint32_t>(std::stoul(digits.substr(0, 8), nullptr, 16));
    made.text = player_.answer(*asked, request.draw,
                               [&](uint32_t number) { return host_.random(place, number, request.draw); });
    return made;
  }

  Host& host_;
  std::string name_;
  esc_world::Player player_;
};

}  // namespace

COMPEER_PLUGIN(Chat, chat, esc_world, EscWorldChat, R"json(
  "version": "1.0.0",
  "summary": "Plays writers, annotators, filter, persona reader and rewriter for dialogues of esc_world.",
  "parameters": {
    "world": {"type": "table", "open": true, "default": {}, "help": "the dataset's settings that are not its defaults"},
    "seed": {"type": "integer", "default": 0, "min": 0, "max": 1000000,
      "help": "players with different seeds write and err differently"},
    "writer": {"type": "string", "default": "habit", "choices": ["expert", "habit"], "help": "who writes completions"},
    "errors": {"type": "number", "default": 1.0, "min": 0, "help": "factor of the writer's error rates"},
    "annotator_noise": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "share of an annotator's verdicts that are wrong, or of preferences that are drawn at random"},
    "first_bias": {"type": "number", "default": 0.05, "min": 0, "max": 1,
      "help": "share of comparisons in which the first reply is preferred unseen"},
    "persona_noise": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "share of personas that are read as any style"}
  })json")
