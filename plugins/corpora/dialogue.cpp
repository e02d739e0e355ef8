// Dialogues in the form common to all corpora: packing, turns, answers and pictures.
#include "corpora/dialogue.h"

#include <algorithm>
#include <array>

#include "base/inside.h"
#include "base/json.h"

namespace compeer::corpora {

namespace {

// Appends the values of an utterance's labels to those of its turn, which has `before` utterances so far.
void append(json& lists, const json& labels, size_t before) {
  for (const auto& [name, value] : labels.items()) {
    json& list = lists[name];
    if (list.is_null()) list = json(before, nullptr);
    if (value.is_array()) {
      list.insert(list.end(), value.begin(), value.end());
    } else {
      list.push_back(value);
    }
  }
  for (auto& [name, list] : lists.items()) {
    if (!labels.contains(name)) list.push_back(nullptr);
  }
}

// Returns the file if it is a picture, otherwise a picture with the same name; empty if there is none.
std::filesystem::path still_of(std::filesystem::path file) {
  static constexpr std::array<const char*, 3> kinds = {".png", ".jpg", ".jpeg"};
  if (std::find(kinds.begin(), kinds.end(), file.extension()) != kinds.end()) return is_regular_file(file) ? file : "";
  for (const char* kind : kinds) {
    if (is_regular_file(file.replace_extension(kind))) return file;
  }
  return "";
}

}  // namespace

const char* chat_name(Role role) {
  return role == Role::system ? "system" : role == Role::seeker ? "user" : "assistant";
}

std::string pack(const Dialogue& dialogue) {
  json utterances = json::array();
  for (const Utterance& one : dialogue.utterances) utterances.push_back(json::array({one.role, one.text, one.labels}));
  const json asked = dialogue.target_answers ? json(*dialogue.target_answers) : json();
  return json::array({dialogue.id, dialogue.labels, asked, utterances}).dump();
}

Dialogue unpack(std::string_view bytes) {
  const json all = parse_json(bytes);
  Dialogue dialogue{all[0], {}, all[1]};
  if (!all[2].is_null()) dialogue.target_answers = all[2].get<std::vector<size_t>>();
  for (const json& one : all[3]) dialogue.utterances.push_back({one[0].get<Role>(), one[1], one[2]});
  return dialogue;
}

std::vector<UtteranceRun> runs(const std::vector<Utterance>& utterances, bool merge) {
  std::vector<UtteranceRun> all;
  for (size_t i = 0; i < utterances.size(); ++i) {
    const Role role = utterances[i].role;
    if (merge && !all.empty() && all.back().role == role) {
      all.back().end = i + 1;
    } else {
      all.push_back({role, i, i + 1});
    }
  }
  return all;
}

std::vector<size_t> answers(const Dialogue& dialogue, const std::vector<UtteranceRun>& runs, bool all) {
  const auto& asked = dialogue.target_answers;
  const auto wanted = [&](size_t begin, size_t end) {  // true if one of these utterances is selected
    return std::any_of(asked->begin(), asked->end(), [&](size_t i) { return i >= begin && i < end; });
  };
  const auto follows_seeker = [&](size_t i) { return i > 0 && runs[i - 1].role == Role::seeker; };
  std::vector<size_t> found;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].role != Role::supporter || !follows_seeker(i)) continue;
    if (all || !asked || wanted(runs[i].begin, runs[i].end)) found.push_back(i);
  }
  const size_t end = dialogue.utterances.size();
  if (asked && follows_seeker(runs.size()) && wanted(end, end + 1)) found.push_back(runs.size());
  return found;
}

SpokenTurn spoken(const std::vector<Utterance>& utterances, const UtteranceRun& run, const std::string& between) {
  SpokenTurn turn;
  for (size_t i = run.begin; i < run.end; ++i) {
    turn.text += (i > run.begin ? between : "") + utterances[i].text;
    append(turn.labels, utterances[i].labels, i - run.begin);
  }
  return turn;
}

std::vector<std::string> pictures(const json& labels, const std::filesystem::path& media) {
  std::vector<std::string> found;
  if (media.empty() || !labels.contains("media")) return found;
  for (const json& name : labels.at("media")) {
    if (!name.is_string()) continue;
    const auto file = media / name.get_ref<const std::string&>();
    const auto still = is_inside_lexically(media, file) ? still_of(file) : "";
    // An audio and a video file may have the same name, and so the same picture.
    if (!still.empty() && (found.empty() || found.back() != still)) found.push_back(still.string());
  }
  return found;
}

}  // namespace compeer::corpora
