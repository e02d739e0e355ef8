#include "judging/reading.h"

#include <map>
#include <memory>
#include <stdexcept>

#include "judging/judge.h"

namespace compeer::judging {

namespace {

constexpr int64_t kLongestReading = 512;
constexpr double kSure = 0.5;  // of what can be told from a reply

std::vector<StepTexts> steps_of(const std::vector<Completion>& answers) {
  std::vector<StepTexts> all;
  for (const Completion& said : answers) all.push_back(case_of(said.text).steps);
  return all;
}

StepTexts steps_in(const nlohmann::json& object, const std::string& name) {
  if (!object.is_object()) throw std::runtime_error("has a '" + name + "' that is no object");
  StepTexts reading;
  for (size_t step = 0; step < reading.size(); ++step) {
    const auto found = object.find(step_names[step]);
    if (found == object.end()) continue;
    if (!found->is_string()) throw std::runtime_error("has no text in '" + name + "." + step_names[step] + "'");
    reading[step] = found->get<std::string>();
  }
  return reading;
}

}  // namespace

std::vector<Completion> answers(LanguageModel& model, const std::vector<std::vector<Turn>>& histories,
                                const SamplingParams& sampling) {
  std::vector<std::unique_ptr<Conversation>> conversations;
  std::vector<Conversation*> lent;
  for (const auto& history : histories) {
    if (history.empty() || history.back().role != "user")
      throw std::runtime_error("a dialogue does not end with the seeker, so there is nothing to answer");
    conversations.push_back(model.begin(history));
    lent.push_back(conversations.back().get());
  }
  return model.answer(lent, std::vector<std::string>(lent.size()), sampling);
}

std::vector<StepTexts> read(LanguageModel& reader, const std::vector<std::vector<Turn>>& histories) {
  return steps_of(answers(reader, histories, {0, kLongestReading, 0, {"</strategy>"}}));
}

std::vector<StepTexts> read_replies(LanguageModel& reader, const std::vector<std::string>& replies) {
  std::map<std::string, size_t> known;  // equal ones are read once
  std::vector<std::vector<Turn>> asked;
  for (const std::string& reply : replies) {
    if (!reply.empty() && known.emplace(reply, asked.size()).second) asked.push_back({{"user", reply}});
  }
  const auto readings = steps_of(answers(reader, asked, {0, kLongestReading, 0, {"</strategy>"}, kSure}));
  std::vector<StepTexts> all;
  for (const std::string& reply : replies) all.push_back(reply.empty() ? StepTexts{} : readings[known.at(reply)]);
  return all;
}

nlohmann::json to_json(const StepTexts& reading) {
  auto object = nlohmann::json::object();
  for (size_t step = 0; step < reading.size(); ++step) {
    if (reading[step]) object[step_names[step]] = *reading[step];
  }
  return object;
}

Reading reading_in(const nlohmann::json& record, const Reads& reads) {
  Reading reading;
  if (!reads.dialogue && !reads.replies) return reading;
  if (!record.contains("reading")) throw std::runtime_error("has no 'reading', which the stage read makes");
  const auto& object = record.at("reading");
  if (reads.dialogue) reading.dialogue = steps_in(object, "reading");
  if (!reads.replies) return reading;
  if (!object.contains("reference") || !object.contains("reply"))
    throw std::runtime_error("has no 'reading' of its replies, which the stage read makes with replies = true");
  reading.reference = steps_in(object.at("reference"), "reading.reference");
  reading.reply = steps_in(object.at("reply"), "reading.reply");
  return reading;
}

}  // namespace compeer::judging
