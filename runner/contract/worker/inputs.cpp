#include "contract/worker/inputs.h"

#include <fmt/format.h>

#include <sstream>

namespace compeer::contract {

using nlohmann::json;

namespace {

std::string words(size_t characters) {
  std::string text;
  while (text.size() < characters) text += "again and ";
  return text.substr(0, characters);
}

json turns_of(const std::vector<Turn>& turns) {
  json list = json::array();
  for (const Turn& turn : turns) list.push_back({{"role", turn.role}, {"text", turn.text}});
  return list;
}

}  // namespace

std::string SampleTexts::of(const std::string& things) const { return fmt::format(fmt::runtime(sort), things); }

const std::vector<SampleTexts>& all_texts() {
  using namespace std::string_literals;
  constexpr size_t huge = 100000;
  static const std::vector<SampleTexts> all{
      {"ordinary {}",
       {"I hear how heavy this is for you. What happened then?", "That sounds hard.",
        "<history>early</history><emotion>sadness</emotion><strategy>question</strategy>\nTell me more.",
        "You could talk to her tomorrow, when both of you have slept."}},
      {"empty {}", {"", "", "", ""}},
      {"{} of white space", {" ", "\n", "\t \r\n", "   "}},
      {"{} of 100,000 characters",
       {std::string(huge, 'x'), words(huge), std::string(huge, '<'), "<history>" + words(huge)}},
      {"{} with characters of one to four bytes",
       {"na\u00efve", "\u6211\u5f88\u96be\u8fc7\u3002", "\U0001F622\U0001F44D\U0001F3FD", "e\u0301 \u202e \u200d"}},
      {"{} that are no UTF-8", {"\xff\xfe\x80", "cut \xe4\xbd", "\xc0\xaf", "\xed\xa0\x80 half"}},
      {"{} with control characters", {"a\0b"s, "\x1b[2J", "\x01\x02", "line\r\nline"}}};
  return all;
}

std::vector<Completion> completions(const std::vector<std::string>& texts) {
  std::vector<Completion> all;
  for (const auto& text : texts) all.push_back({text, static_cast<int64_t>(text.size() / 4 + 1), all.size() % 2 == 0});
  return all;
}

Example made_up_example(const std::string& id) {
  Example example;
  example.id = id;
  example.history = {{"user", "I failed the exam, and I can't tell anybody."},
                     {"assistant", "That must feel lonely. Whom would you tell first?"},
                     {"user", "My sister, perhaps. " + id}};
  example.answer = "She may be glad that you trust her.";
  example.record = {{"id", id}};
  return example;
}

json made_up_record(const std::string& id) {
  const Example example = made_up_example(id);
  auto turns = example.history;
  turns.push_back({"assistant", example.answer});
  const json candidate = {{"history", "early"},
                          {"emotion", "sadness"},
                          {"strategy", "question"},
                          {"reply", "Tell me more."},
                          {"model", "made up"}};
  return {{"id", id},
          {"dialogue", id},
          {"split", "train"},
          {"turns", turns_of(turns)},
          {"history", turns_of(example.history)},
          {"reference", example.answer},
          {"candidates", json::array({candidate})}};
}

std::string bytes(const at::Tensor& tensor) {
  std::ostringstream text;
  text << c10::toString(tensor.scalar_type()) << tensor.sizes() << ' ';
  const at::Tensor whole = tensor.detach().contiguous();
  text.write(static_cast<const char*>(whole.const_data_ptr()), static_cast<std::streamsize>(whole.nbytes()));
  return text.str();
}

std::string bytes(const Scores& scores) {
  std::vector<std::vector<double>> columns;
  for (const auto& [name, column] : scores.columns()) columns.push_back(column);
  return bytes(columns);
}

std::string bytes(const std::vector<std::vector<double>>& rows) {
  std::string all;
  for (const auto& row : rows) {
    all += std::to_string(row.size()) + ":";
    for (const double number : row) all.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return all;
}

std::string bytes(const std::vector<std::string>& texts) {
  std::string all;
  for (const auto& text : texts) all += std::to_string(text.size()) + ":" + text;
  return all;
}

std::string bytes(const Example& example) {
  std::vector<std::string> all{example.id, example.answer, std::to_string(example.learn),
                               example.record.dump(-1, ' ', false, json::error_handler_t::replace)};
  for (const Turn& turn : example.history) {
    all.insert(all.end(), {turn.role, turn.text});
    all.insert(all.end(), turn.pictures.begin(), turn.pictures.end());
  }
  return bytes(all);
}

std::string bytes(const std::vector<Completion>& completions) {
  std::vector<std::string> all;
  for (const Completion& one : completions)
    all.insert(all.end(), {one.text, std::to_string(one.tokens), one.finished ? "finished" : "cut off"});
  return bytes(all);
}

std::string bytes(const std::vector<json>& records) {
  std::vector<std::string> all;
  for (const json& one : records) all.push_back(one.dump(-1, ' ', false, json::error_handler_t::replace));
  return bytes(all);
}

}  // namespace compeer::contract
