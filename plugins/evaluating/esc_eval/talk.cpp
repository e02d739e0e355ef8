#include "evaluating/esc_eval/talk.h"

#include <algorithm>

#include "stages/records.h"

namespace compeer::evaluating::esc_eval {

using nlohmann::json;

namespace {

constexpr const char* greeting_en = "Hello, I am here to support you. What is on your mind?";
constexpr const char* greeting_zh = "你好，我在这里陪你。有什么想说的吗？";

}  // namespace

/// A dialogue that is being played.
struct RolePlayer::Scene {
  Talk talk;
  std::string language;
  std::string system;       // the role player's prompt, filled
  std::vector<Turn> turns;  // without the greeting

  bool open() const { return talk.transcript.refusal.empty(); }
  void say(json turn) {
    turns.push_back({turn.at("role"), turn.at("text")});
    talk.transcript.turns.push_back(std::move(turn));
  }
};

RolePlayer::RolePlayer(const Settings& settings, Host& host)
    : chat_(settings, host, "role_player"),
      prompts_(settings, host, "role_player", "esc_eval_role", {"card"}),
      rounds_(settings.integer("rounds")),
      max_tokens_(settings.integer("role_tokens")),
      temperature_(settings.number("role_temperature")),
      tries_(stages::most_tries(settings.integer("tries"), temperature_, settings, "role_player")),
      greeting_(settings.has("greeting") ? settings.text("greeting") : "") {}

std::vector<Talk> RolePlayer::play(const std::vector<const json*>& records, const std::vector<std::string>& languages,
                                   const Supporter& supporter) const {
  std::vector<Scene> scenes(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    const json known = {{"id", records[i]->at("id")}, {"language", languages[i]}};
    scenes[i].language = languages[i];
    scenes[i].system = prompts_.fill(known, {{"card", card_of(*records[i]).text}});
    scenes[i].talk.transcript.greeting = !greeting_.empty()     ? greeting_
                                         : languages[i] == "zh" ? greeting_zh
                                                                : greeting_en;
  }
  std::vector<Scene*> open;
  for (Scene& scene : scenes) open.push_back(&scene);
  const auto go_on = [&] { std::erase_if(open, [](const Scene* scene) { return !scene->open(); }); };
  for (int64_t round = 0; round < rounds_; ++round) {
    speak(open), go_on();
    hear(open, supporter), go_on();
  }
  std::vector<Talk> talks;
  for (Scene& scene : scenes) talks.push_back(std::move(scene.talk));
  return talks;
}

ChatRequest RolePlayer::request(const Scene& scene, uint32_t draw) const {
  ChatRequest request{
      {{"system", scene.system}, {"user", scene.talk.transcript.greeting}}, temperature_, max_tokens_, draw};
  for (const Turn& turn : scene.turns) request.turns.push_back({turn.role == "user" ? "assistant" : "user", turn.text});
  return request;
}

void RolePlayer::speak(const std::vector<Scene*>& open) const {
  std::vector<Scene*> asked = open;
  for (int64_t draw = 0; draw < tries_ && !asked.empty(); ++draw) {
    std::vector<ChatRequest> requests;
    for (const Scene* scene : asked) requests.push_back(request(*scene, static_cast<uint32_t>(draw)));
    std::vector<ChatReply> replies(requests.size());
    chat_.demanded("a card is to be played").answer(requests, [&](size_t i, ChatReply reply) {
      replies[i] = std::move(reply);
    });
    std::vector<Scene*> again;
    for (size_t i = 0; i < asked.size(); ++i) {
      const auto said = heard(replies[i].text).heard;
      auto& refusal = asked[i]->talk.transcript.refusal;
      refusal = !replies[i].failure.empty() ? "role player: no answer"
                : said.empty()              ? "role player: says nothing"
                                            : "";
      if (refusal.empty()) asked[i]->say({{"role", "user"}, {"text", said}});
      if (said.empty() && replies[i].failure.empty()) again.push_back(asked[i]);
    }
    asked = std::move(again);
  }
}

void RolePlayer::hear(const std::vector<Scene*>& open, const Supporter& supporter) {
  std::vector<std::vector<Turn>> dialogues;
  std::vector<std::string> languages;
  for (const Scene* scene : open) {
    dialogues.push_back(scene->turns);
    languages.push_back(scene->language);
  }
  const auto answers = supporter.answer(dialogues, languages);
  for (size_t i = 0; i < open.size(); ++i) {
    Scene& scene = *open[i];
    Answer answer = answers[i];
    if (answer.refusal == "no answer") {
      scene.talk.transcript.refusal = "supporter: no answer";
      continue;
    }
    // A model that says nothing has failed its seeker, and is scored for that.
    if (answer.heard.empty()) answer.heard = silence, ++scene.talk.silent;
    scene.say(turn_of(answer));
  }
}

void RolePlayer::note(json& record) const {
  stages::note_provenance(record, "turns", chat_.model(), prompts_.of(record));
}

}  // namespace compeer::evaluating::esc_eval
