// Reads a table of scripted answers and looks answers up in it.
#include "scripted/table.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"

namespace compeer::scripted {

namespace {

using nlohmann::json;

std::vector<std::string> answers_of(const json& answer) {
  if (answer.is_string()) return {answer.get<std::string>()};
  if (!answer.is_array() || answer.empty()) throw std::runtime_error("'answer' is neither a text nor a list of texts");
  return answer.get<std::vector<std::string>>();
}

std::string with_index(std::string text, uint32_t sample_index) {
  const auto number = std::to_string(sample_index);
  for (size_t at = 0; (at = text.find("{n}", at)) != std::string::npos; at += number.size())
    text.replace(at, 3, number);
  return text;
}

}  // namespace

AnswerTable::AnswerTable(const std::filesystem::path& file) : file_(file.string()) {
  const auto bytes = read_file(file);
  digest_ = sha256(bytes);
  std::istringstream lines(bytes);
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      add(line);
    } catch (const std::exception& error) {
      throw Error(file_ + ":" + std::to_string(number), error.what(),
                  R"(a line is {"user": ..., "answer": ...}, {"contains": ..., "answer": ...} or {"answer": ...})",
                  Exit::data);
    }
  }
}

void AnswerTable::add(const std::string& text) {
  const auto value = json::parse(text);
  if (!value.is_object()) throw std::runtime_error("is not a JSON object");
  const std::vector<std::string> keys{"user", "contains", "answer", "failure"};
  for (const auto& item : value.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
      throw std::runtime_error("has the unknown key '" + item.key() + "': " + suggest(item.key(), keys));
    }
  }
  if (value.contains("answer") == value.contains("failure")) {
    throw std::runtime_error("must have either 'answer' or 'failure'");
  }
  Line line{.contains = value.value("contains", ""), .answers = {}, .failure = value.value("failure", "")};
  if (value.contains("answer")) line.answers = answers_of(value.at("answer"));
  if (value.contains("user")) {
    exact_.try_emplace(value.at("user").get<std::string>(), std::move(line));
  } else {
    others_.push_back(std::move(line));
  }
}

ChatReply AnswerTable::reply(const Line& line, uint32_t sample_index) {
  ChatReply reply;
  reply.failure = line.failure;
  if (!line.answers.empty()) reply.text = with_index(line.answers[sample_index % line.answers.size()], sample_index);
  return reply;
}

ChatReply AnswerTable::answer(const ChatRequest& request) const {
  const std::string& said = request.turns.back().text;
  if (const auto line = exact_.find(said); line != exact_.end()) return reply(line->second, request.sample_index);
  for (const auto& line : others_) {
    if (said.find(line.contains) != std::string::npos) return reply(line, request.sample_index);
  }
  ChatReply none;
  none.failure = "no line of " + file_ + " matches this question";
  return none;
}

}  // namespace compeer::scripted
