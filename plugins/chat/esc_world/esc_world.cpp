/// esc_world: scripted chat models for the dialogues of the generated world. For making data sets offline: writers with
/// error profiles, annotators who know the truth and make errors, filter, persona reader, rewriter. For testing models:
/// seekers, judges and a supporter. Recognizes tasks by the prompts in plugins/chat/esc_world/prompts, and finds the
/// truth by the id they contain.
#include "base/hash.h"
#include "chat/esc_world/player.h"
#include "compeer/chat.h"
#include "compeer/plugin.h"
#include "datasets/esc_world/world/dialogue.h"

namespace {

using namespace compeer;

esc_world::Profile profile_of(const Settings& settings) {
  esc_world::Profile profile;
  profile.writer = esc_world::default_world(settings.text("writer")).writer;
  auto& errors = profile.writer.errors;
  for (double* rate : {&errors.wrong_stage, &errors.wrong_emotion, &errors.random_strategy, &errors.strategy_mismatch,
                       &errors.subject, &errors.attunement, &errors.tone, &errors.grammar, &errors.format})
    *rate = std::min(1.0, *rate * settings.number("errors"));
  profile.seed = static_cast<uint32_t>(settings.integer("seed"));
  profile.annotator_noise = settings.number("annotator_noise");
  profile.first_bias = settings.number("first_bias");
  profile.persona_noise = settings.number("persona_noise");
  profile.emotion_scale = settings.number("emotion_scale");
  profile.emotion_rest = settings.number("emotion_rest");
  profile.judge_noise = settings.number("judge_noise");
  return profile;
}

class EscWorldChat : public ChatModel {
 public:
  EscWorldChat(const Settings& settings, Host& host)
      : host_(host),
        name_("esc_world-" + settings.text("writer") + "-" + std::to_string(settings.integer("seed"))),
        world_(esc_world::parse_world_settings(settings.table("world").json())),
        profile_(profile_of(settings)),
        player_(world_, profile_),
        split_(settings.text("supports")),
        cases_(settings.table("world").json().value(split_, split_ == "train" ? 20000u : 500u)) {}

  void answer(ChatRequests& requests) override {
    for (auto one = requests.take(1); !one.empty(); one = requests.take(1))
      requests.reply(one[0].number, reply(one[0].request));
  }

  std::string model() const override { return name_; }

  bool is_instant() const override { return true; }

 private:
  ChatReply reply(const ChatRequest& request) {
    ChatReply made;
    if (const auto asked = asked_in(request)) {
      const auto digits = sha256(name_ + "\n" + request.turns.back().text);
      const auto place = static_cast<uint32_t>(std::stoul(digits.substr(0, 8), nullptr, 16));
      made.text = player_.answer(*asked, request.sample_index,
                                 [&](uint32_t number) { return host_.random(place, number, request.sample_index); });
    } else if (auto completion = support().answer(lines_of(request), request.sample_index)) {
      made.text = std::move(*completion);
    } else {
      made.failure =
          "esc_world answers only its own seekers and the stages' prompts about its own dialogues, in English; if the "
          "dataset has settings other than the defaults, repeat them in 'world', as in world = { test = 600 }";
    }
    return made;
  }

  // Without system turns.
  static std::vector<esc_world::WorldTurn> lines_of(const ChatRequest& request) {
    std::vector<esc_world::WorldTurn> lines;
    for (const Turn& turn : request.turns) {
      if (turn.role != "system") lines.push_back({turn.role, turn.text});
    }
    return lines;
  }

  static std::optional<esc_world::ParsedPrompt> asked_in(const ChatRequest& request) {
    const Turn& first = request.turns.front();
    if (first.role == "system") {
      if (auto asked = esc_world::read_role(first.text, lines_of(request))) return asked;
    }
    return esc_world::read_prompt(request.turns.back().text);
  }

  const esc_world::Support& support() {
    if (!support_) support_.emplace(world_, profile_, split_, cases_);
    return *support_;
  }

  Host& host_;
  std::string name_;
  esc_world::WorldSettings world_;
  esc_world::Profile profile_;
  esc_world::Player player_;
  std::string split_;
  uint32_t cases_;
  std::optional<esc_world::Support> support_;
};

}  // namespace

COMPEER_PLUGIN(ChatModel, chat, esc_world, EscWorldChat, R"json(
  "version": "1.0.0",
  "summary":
    "Plays writers, annotators, filter, persona reader, rewriter, seekers, judges and supporters of esc_world.",
  "parameters": {
    "world": {"type": "table", "open": true, "default": {},
      "help": "settings of the dataset that differ from its defaults"},
    "seed": {"type": "integer", "default": 0, "min": 0, "max": 1000000,
      "help": "players with different seeds write and err differently"},
    "writer": {"type": "string", "default": "habit", "choices": ["expert", "habit"],
      "help": "writer of the completions"},
    "errors": {"type": "number", "default": 1.0, "min": 0, "help": "factor of the writer's error rates"},
    "annotator_noise": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "share of an annotator's verdicts that are wrong and of preferences that are random"},
    "first_bias": {"type": "number", "default": 0.05, "min": 0, "max": 1,
      "help": "share of comparisons in which the first reply is preferred regardless of content"},
    "persona_noise": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "share of personas that are read as a random style"},
    "emotion_scale": {"type": "number", "default": 20, "min": 0,
      "help": "simulator: difference in emotion points between the worst and the best reply"},
    "emotion_rest": {"type": "number", "default": 0.5, "min": 0, "max": 1,
      "help": "simulator: felt quality that leaves the emotion unchanged; lower: a more patient seeker"},
    "judge_noise": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "share of a judge's scores that are one too high or too low"},
    "supports": {"type": "string", "default": "test", "choices": ["train", "valid", "test"],
      "help": "supporter: split whose dialogues it knows; 'world' sets their number"}
  })json")
