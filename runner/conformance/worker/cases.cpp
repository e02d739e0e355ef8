// Inputs that the cases of several kinds share, and the comparison of results.
#include "conformance/worker/cases.h"

#include <fmt/format.h>

#include <sstream>

namespace compeer::conformance {

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

std::string SampleTexts::name_for(const std::string& things) const { return fmt::format(fmt::runtime(sort), things); }

const std::vector<SampleTexts>& all_texts() {
  using namespace std::string_literals;
  constexpr size_t huge = 100000;
  static const std::vector<SampleTexts> all{
      {"ordinary {}",
       {"I hear how heavy this is for you. What happened then?", "That sounds hard.",
        "<history>early</history><emotion>sadness</emotion><strategy>question</strategy>\nTell me more.",
        "You could talk to her tomorrow, when both of you have slept."}},
      {"empty {}", {"", " ", "\n", "\t \r\n"}},
      {"{} of 100,000 characters",
       {std::string(huge, 'x'), words(huge), std::string(huge, '<'), "<history>" + words(huge)}},
      {"{} with unusual characters",
       {"na\u00efve \U0001F622\U0001F44D\U0001F3FD", "\u6211\u5f88\u96be\u8fc7\u3002", "a\0b\x1b[2J"s,
        "e\u0301 \u202e \u200d\r\n"}},
      {"{} that are not UTF-8", {"\xff\xfe\x80", "cut \xe4\xbd", "\xc0\xaf", "\xed\xa0\x80 half"}}};
  return all;
}

const std::vector<std::string>& ordinary_texts() { return all_texts().front().texts; }

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

// Numbers are printed with all digits.
std::string bytes(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string bytes(const at::Tensor& tensor) {
  std::ostringstream text;
  text << c10::toString(tensor.scalar_type()) << tensor.sizes() << ' ';
  const at::Tensor whole = tensor.detach().contiguous();
  text.write(static_cast<const char*>(whole.const_data_ptr()), static_cast<std::streamsize>(whole.nbytes()));
  return text.str();
}

std::string bytes(const Scores& scores) {
  json columns;
  for (const auto& [name, column] : scores.columns()) columns.push_back(column);
  return bytes(columns);
}

std::string bytes(const Example& example) {
  json all = {example.id, example.answer, example.target_turns, example.record};
  for (const Turn& turn : example.history) all.push_back({turn.role, turn.text, turn.pictures});
  return bytes(all);
}

}  // namespace compeer::conformance
