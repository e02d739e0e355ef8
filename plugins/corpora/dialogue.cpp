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

std::string pack(const Dialogue& dialogue) {
  json utterances = json::array();
  for (const Utterance& one : dialogue.utterances)
    utterances.push_back({static_cast<int>(one.role), one.text, one.labels});
  const json whole = {dialogue.id, std::move(utterances), dialogue.labels,
                      dialogue.asked ? json(*dialogue.asked) : json()};
  std::string bytes;
  json::to_msgpack(whole, bytes);
  bytes.shrink_to_fit();
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

std::vector<Spoken> turns(const std::vector<Utterance>& utterances, bool merge) {
  std::vector<Spoken> all;
  size_t begin = 0;  // of the last turn
  for (size_t i = 0; i < utterances.size(); ++i) {
    const Utterance& one = utterances[i];
    if (merge && !all.empty() && all.back().role == one.role) {
      all.back().text += "\n" + one.text;
    } else {
      all.push_back({one.role, one.text});
      begin = i;
    }
    append(all.back().labels, one.labels, i - begin);
    all.back().end = i + 1;
  }
  return all;
}

std::vector<size_t> answers(const Dialogue& dialogue, const std::vector<Spoken>& turns, bool all) {
  const auto& asked = dialogue.asked;
  const auto wanted = [&](size_t from, size_t end) {  // is one of these utterances asked for?
    return std::any_of(asked->begin(), asked->end(), [&](size_t i) { return i >= from && i < end; });
  };
  const auto follows_seeker = [&](size_t i) { return i > 0 && turns[i - 1].role == Role::seeker; };
  std::vector<size_t> found;
  for (size_t i = 0; i < turns.size(); ++i) {
    if (turns[i].role != Role::supporter || !follows_seeker(i)) continue;
    if (all || !asked || wanted(turns[i - 1].end, turns[i].end)) found.push_back(i);
  }
  const size_t end = dialogue.utterances.size();
  if (asked && follows_seeker(turns.size()) && wanted(end, end + 1)) found.push_back(turns.size());
  return found;
}

}  // namespace compeer::corpora
