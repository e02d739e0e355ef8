#include "corpora/dialogue.h"

#include <algorithm>

namespace compeer::corpora {

namespace {

// The values of `labels` join those of a turn, which has had `before` utterances.
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

}  // namespace

const char* chat_name(Role role) {
  return role == Role::system ? "system" : role == Role::seeker ? "user" : "assistant";
}

std::string pack(Dialogue dialogue) {
  json utterances = json::array();
  for (Utterance& one : dialogue.utterances)
    utterances.push_back({static_cast<int>(one.role), std::move(one.text), std::move(one.labels)});
  const json whole = {std::move(dialogue.id), std::move(utterances), std::move(dialogue.labels),
                      dialogue.asked ? json(*dialogue.asked) : json()};
  std::string bytes;
  json::to_msgpack(whole, bytes);
  return bytes;
}

Dialogue unpack(std::string_view bytes) {
  json whole = json::from_msgpack(bytes);
  Dialogue dialogue{whole[0].get<std::string>(), {}, std::move(whole[2])};
  for (json& one : whole[1])
    dialogue.utterances.push_back(
        {static_cast<Role>(one[0].get<int>()), std::move(one[1].get_ref<std::string&>()), std::move(one[2])});
  if (!whole[3].is_null()) dialogue.asked = whole[3].get<std::vector<size_t>>();
  return dialogue;
}

std::vector<Run> runs(const std::vector<Utterance>& utterances, bool merge) {
  std::vector<Run> all;
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

std::vector<size_t> answers(const Dialogue& dialogue, const std::vector<Run>& runs, bool all) {
  const auto& asked = dialogue.asked;
  const auto wanted = [&](size_t begin, size_t end) {  // is one of these utterances asked for?
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

Spoken spoken(const std::vector<Utterance>& utterances, const Run& run) {
  Spoken turn;
  for (size_t i = run.begin; i < run.end; ++i) {
    turn.text += (i > run.begin ? "\n" : "") + utterances[i].text;
    append(turn.labels, utterances[i].labels, i - run.begin);
  }
  return turn;
}

}  // namespace compeer::corpora
