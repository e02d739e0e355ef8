#include "worker/records_ahead.h"

#include <algorithm>

namespace compeer::worker {

using nlohmann::json;

namespace {

constexpr double latin = 4, han = 1.5;  // bytes of a token, and characters
constexpr int64_t looked_at = 32;       // records
constexpr double of_a_turn = 4;         // tokens of a chat template

// Tokens and Chinese characters of a text, without a tokenizer.
struct TextLength {
  double plain = 0, chinese = 0;
  void add(const std::string& text) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      plain += byte < 0x80 ? 1 : byte >= 0xc0 && byte < 0xe0 ? 2 : 0;
      chinese += byte >= 0xe0;  // begins a character of three bytes or more
    }
  }
  // All texts in a value.
  void add_all(const json& value) {
    if (value.is_string()) add(value.get_ref<const std::string&>());
    if (!value.is_structured()) return;
    for (const auto& inner : value) add_all(inner);
  }
  double tokens() const { return plain / latin + chinese / han; }
};

}  // namespace

Forecast look_at(plugin::Plugin<Dataset>& dataset, const std::vector<std::string>& splits, int64_t most) {
  Forecast found;
  double seen = 0;
  for (const auto& split : splits) {
    auto size = dataset.call("size", [&](Dataset& d) { return d.size(split); });
    if (most > 0) size = std::min(size, most);
    if (size > 0) found.records[split] = static_cast<double>(size);
    const auto count = std::min(looked_at, size);  // from all over the split: neighbours are rounds of one dialogue
    for (int64_t i = 0; i < count; ++i, ++seen) {
      const auto example = dataset.call("get", [&](Dataset& d) { return d.get(split, i * size / count); });
      TextLength said, answer;
      for (const auto& turn : example.history) said.add(turn.text);
      if (example.history.empty()) said.add_all(example.record);  // a card
      answer.add(example.answer);
      found.tokens += said.tokens() + of_a_turn * static_cast<double>(example.history.size());
      found.answer += answer.tokens();
      const auto named = example.record.is_object() ? example.record.value("language", json()) : json();
      const std::string language = named.is_string() ? named.get<std::string>() : "";
      found.chinese += language.empty() ? said.chinese > said.plain / latin : !language.starts_with("en");
    }
  }
  for (double* mean : {&found.tokens, &found.answer, &found.chinese}) *mean /= std::max(1.0, seen);
  found.dialogues = found.all();
  return found;
}

json to_json(const Forecast& f) {
  return {{"records", f.records}, {"dialogues", f.dialogues}, {"tokens", f.tokens},  {"answer", f.answer},
          {"chinese", f.chinese}, {"rewritten", f.rewritten}, {"answers", f.answers}};
}

Forecast from_json(const json& f) {
  return {f.at("records"), f.at("dialogues"), f.at("tokens"), f.at("answer"),
          f.at("chinese"), f.at("rewritten"), f.at("answers")};
}

Forecast only(Forecast records, const std::vector<std::string>& splits, int64_t most) {
  const double before = records.all();
  std::erase_if(records.records, [&](const auto& one) {
    return !splits.empty() && std::find(splits.begin(), splits.end(), one.first) == splits.end();
  });
  for (auto& [split, count] : records.records) count = most > 0 ? std::min(count, static_cast<double>(most)) : count;
  if (before > 0) records.dialogues *= records.all() / before;
  return records;
}

Forecast joined(Forecast one, const Forecast& other) {
  const double a = one.all(), b = other.all(), all = std::max(1.0, a + b);
  for (double Forecast::*mean :
       {&Forecast::tokens, &Forecast::answer, &Forecast::chinese, &Forecast::rewritten, &Forecast::answers})
    one.*mean = (a * one.*mean + b * other.*mean) / all;
  for (const auto& [split, count] : other.records) one.records[split] += count;
  one.dialogues += other.dialogues;
  return one;
}

}  // namespace compeer::worker
