/// AvaMERG: empathetic dialogues with voices and faces, English. A record lists its turns, each with the whole history
/// before it. The test set has no responses and labels, so its answers are empty. A third layout has one turn per
/// record, with its videos.
#include <algorithm>

#include "compeer/plugin.h"
#include "corpora/corpus.h"

namespace {

using namespace compeer::corpora;

const std::vector<std::pair<std::string_view, Role>> speakers = {
    {"speaker", Role::seeker}, {"listener", Role::supporter}, {"listener_response", Role::supporter}};

json reasoning(const json& turn) {
  if (!turn.contains("chain_of_empathy")) return json::object();
  const json& chain = part_of(turn, "chain_of_empathy");
  return {{"emotion", label(chain, "speaker_emotion")},
          {"scenario", label(chain, "event_scenario")},
          {"cause", label(chain, "emotion_cause")},
          {"goal", label(chain, "goal_to_response")}};
}

json profile(const json& record, Role role) {
  const char* key = role == Role::seeker ? "speaker_profile" : "listener_profile";
  const json& found = part_of(record, key);
  return found.empty() ? json() : found;
}

// Returns the names of an utterance's audio and video file in the release; null if no profile has the speaker's ID.
json media(const json& record, Role role, size_t index) {
  const json who = profile(record, role);
  if (!who.is_object() || !label(who, "ID").is_number_integer()) return nullptr;
  const auto stem =
      "dia" + text_of(record, "conversation_id") + "utt" + std::to_string(index) + "_" + who.at("ID").dump();
  return {stem + ".wav", stem + ".mp4"};
}

int64_t number(const json& turn) {
  const json found = scale(turn, "turn_id");
  if (found.is_null()) throw Refusal("has no number 'turn_id'");
  return found.get<int64_t>();
}

// Returns the turns sorted by number; the file may have another order.
std::vector<json> sorted(const json& turns) {
  std::vector<json> all;
  each(turns, "turn",
       [&](const json& turn, size_t) { number(turn), list_of(turn, "dialogue_history"), all.push_back(turn); });
  std::stable_sort(all.begin(), all.end(), [](const json& a, const json& b) { return number(a) < number(b); });
  return all;
}

std::vector<Utterance> history(const json& record, const json& turn) {
  std::vector<Utterance> all;
  each(list_of(turn, "dialogue_history"), "utterance", [&](const json& one, size_t index) {
    const Role role = role_of(one, "role", speakers);
    all.push_back({role, text_of(one, "utterance"), {{"media", media(record, role, index)}}});
  });
  return all;
}

bool continues(const std::vector<Utterance>& whole, const std::vector<Utterance>& part) {
  return part.size() <= whole.size() &&
         std::equal(part.begin(), part.end(), whole.begin(),
                    [](const auto& a, const auto& b) { return a.role == b.role && a.text == b.text; });
}

// The last turn's history is the whole dialogue; each turn's answer follows where its own history ends.
void add_turns(Dialogue& dialogue, const json& record) {
  const auto turns = sorted(list_of(record, "turns"));
  dialogue.target_answers.emplace();
  if (turns.empty()) return;
  auto& whole = dialogue.utterances = history(record, turns.back());
  if (turns.back().contains("response"))
    whole.push_back({Role::supporter,
                     text_of(turns.back(), "response"),
                     {{"media", media(record, Role::supporter, whole.size())}}});
  for (const json& turn : turns) {
    const auto before = history(record, turn);
    const std::string name = "has a turn " + std::to_string(number(turn)) + " whose history ";
    if (!continues(whole, before)) {
      dialogue.left_out.push_back(name + "is not a prefix of the last turn's history");
      continue;
    }
    if (before.empty() || before.back().role != Role::seeker) {
      dialogue.left_out.push_back(name + "does not end with the speaker");
      continue;
    }
    dialogue.target_answers->push_back(before.size());
    if (before.size() < whole.size()) whole[before.size()].labels.update(reasoning(turn));
  }
}

void add_videos(Dialogue& dialogue, const json& record) {
  const json& turn = object_of(record, "turn");
  dialogue.target_answers.emplace();
  each(list_of(turn, "dialogue"), "utterance", [&](const json& one, size_t index) {
    json path = label(one, "video_path");
    if (path.is_string()) std::ranges::replace(path.get_ref<std::string&>(), '\\', '/');
    if (label(one, "role") == "listener_response") dialogue.target_answers->push_back(index);
    dialogue.utterances.push_back({role_of(one, "role", speakers), text_of(one, "text"), {{"media", std::move(path)}}});
  });
  for (const size_t index : *dialogue.target_answers) dialogue.utterances[index].labels.update(reasoning(turn));
}

Dialogue dialogue_of(const json& record) {
  Dialogue dialogue;
  const bool with_videos = record.is_object() && record.contains("turn");
  dialogue.id = text_of(record, "conversation_id");
  with_videos ? add_videos(dialogue, record) : add_turns(dialogue, record);
  const json& turns = with_videos ? json::array({record.at("turn")}) : record.at("turns");
  dialogue.labels = {
      {"situation", turns.empty() ? json() : label(turns.front(), "context")},
      {"topic", label(record, "topic")},
      {"persona", {{"seeker", profile(record, Role::seeker)}, {"supporter", profile(record, Role::supporter)}}}};
  return dialogue;
}

const CorpusLayout avamerg_layout = {"avamerg", "en", {".json", ".jsonl"}, json_records(dialogue_of)};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, avamerg, CorpusOf<avamerg_layout>,
               R"json(
  "version": "1.0.0",
  "summary": "AvaMERG: empathetic dialogues with voices and faces, and chains of empathy, English.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(})json")
