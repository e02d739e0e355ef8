// Plays dialogues between a role player and the model under test (ESC-Eval).
#include "evaluating/esc_eval/talk.h"

#include <algorithm>

#include "stages/records.h"

namespace compeer::evaluating::esc_eval {

using nlohmann::json;

namespace {

constexpr const char* greeting_en = "Hello, I am here to support you. What is on your mind?";
constexpr const char* greeting_zh = "你好，我在这里陪你。有什么想说的吗？";

}  // namespace

struct RolePlayer::Scene : evaluating::Scene {
  std::string system, greeting;  // the role player's system turn and its first user turn
};

RolePlayer::RolePlayer(const Settings& settings, Host& host)
    : chat_(settings, host, "role_player"),
      prompts_(settings, host, "role_player", "esc_eval_role", {"card"}),
      rounds_(settings.integer("rounds")),
      max_tokens_(settings.integer("role_tokens")),
      temperature_(settings.number("role_temperature")),
      tries_(stages::most_tries(settings.integer("tries"), temperature_, settings, "role_player")),
      greeting_(settings.has("greeting") ? settings.text("greeting") : "") {}

std::vector<Talk> RolePlayer::play(const std::vector<const json*>& records, const Supporter& supporter) const {
  std::vector<Scene> scenes(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    const json& language = records[i]->at("language");
    scenes[i].about = {{"id", records[i]->at("id")}, {"language", language}};
    scenes[i].system = prompts_.fill(scenes[i].about, {{"card", card_of(*records[i]).text}});
    scenes[i].greeting = !greeting_.empty() ? greeting_ : language == "zh" ? greeting_zh : greeting_en;
  }
  evaluating::play(
      scenes, supporter, [&](const std::vector<Scene*>& open) { speak(open); },
      [&](const Scene&, int64_t round) { return round == rounds_; });
  std::vector<Talk> talks;
  for (Scene& one : scenes) talks.push_back({{one.greeting, std::move(one.transcript), one.refusal}, one.silent});
  return talks;
}

ChatRequest RolePlayer::request(const Scene& scene, uint32_t draw) const {
  ChatRequest request{{{"system", scene.system}, {"user", scene.greeting}}, temperature_, max_tokens_, draw};
  for (const Turn& turn : scene.turns) request.turns.push_back({turn.role == "user" ? "assistant" : "user", turn.text});
  return request;
}

void RolePlayer::speak(const std::vector<Scene*>& open) const {
  std::vector<Scene*> asked = open;
  for (int64_t draw = 0; draw < tries_ && !asked.empty(); ++draw) {
    std::vector<ChatRequest> requests;
    for (const Scene* scene : asked) requests.push_back(request(*scene, static_cast<uint32_t>(draw)));
    std::vector<ChatReply> replies(requests.size());
    chat_.require("a card is to be played").answer(requests, [&](size_t i, ChatReply reply) {
      replies[i] = std::move(reply);
    });
    std::vector<Scene*> again;
    for (size_t i = 0; i < asked.size(); ++i) {
      const auto said = parse_answer(replies[i].text).reply;
      auto& refusal = asked[i]->refusal;
      refusal = !replies[i].failure.empty() ? "role player: no answer"
                : said.empty()              ? "role player: says nothing"
                                            : "";
      if (refusal.empty()) asked[i]->say({{"role", "user"}, {"text", said}});
      if (said.empty() && replies[i].failure.empty()) again.push_back(asked[i]);
    }
    asked = std::move(again);
  }
}

void RolePlayer::note(json& record) const {
  stages::note_provenance(record, "turns", chat_.model(), prompts_.of(record));
}

}  // namespace compeer::evaluating::esc_eval
