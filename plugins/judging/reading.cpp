// Computes a reader's view of dialogues and replies, and converts it from and to JSON records.
#include "judging/reading.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

#include "judging/judge.h"

namespace compeer::judging {

namespace {

constexpr int64_t longest_reading = 512;  // tokens
constexpr double sure = 0.5;              // minimum probability of a token in the steps read from a reply

std::vector<StepTexts> steps_of(const std::vector<Completion>& answers) {
  std::vector<StepTexts> all;
  for (const Completion& said : answers) all.push_back(parse_completion(said.text).steps);
  return all;
}

// Returns the steps behind each distinct reply.
std::map<std::string, StepTexts> steps_behind(LanguageModel& reader, const std::vector<AnsweredDialogue>& dialogues) {
  std::map<std::string, StepTexts> steps;
  for (const AnsweredDialogue& dialogue : dialogues) {
    for (const std::string& reply : dialogue.replies) {
      if (!reply.empty()) steps[reply];
    }
  }
  std::vector<std::vector<Turn>> asked;
  for (const auto& [reply, unknown] : steps) asked.push_back({{"user", reply}});
  const auto answered = steps_of(answers(reader, asked, {0, longest_reading, 0, {"</strategy>"}, sure}));
  auto next = answered.begin();
  for (auto& [reply, known] : steps) known = *next++;
  return steps;
}

// Returns the completion the reader scores: the reply after the reader's own steps for the dialogue, with the strategy
// taken from the reply's reading if there is one.
std::string completion_with(const std::string& reply, const StepTexts& behind, const StepTexts& dialogue) {
  StepTexts steps = dialogue;
  if (!behind.back().value_or("").empty()) steps.back() = behind.back();
  std::string all;
  for (size_t step = 0; step < steps.size(); ++step) {
    if (steps[step]) all += tagged(step_names[step], *steps[step]);
  }
  return all + "\n" + reply;
}

StepTexts steps_in(const nlohmann::json& object, const std::string& name) {
  if (!object.is_object()) throw std::runtime_error("has a '" + name + "' that is not an object");
  StepTexts reading;
  for (size_t step = 0; step < reading.size(); ++step) {
    const auto found = object.find(step_names[step]);
    if (found == object.end()) continue;
    if (!found->is_string()) throw std::runtime_error("has no text in '" + name + "." + step_names[step] + "'");
    reading[step] = found->get<std::string>();
  }
  return reading;
}

ReplyReading reply_in(const nlohmann::json& reading, const std::string& name) {
  if (!reading.contains(name))
    throw std::runtime_error("has no 'reading' of its replies: run the stage read with replies = true");
  const auto& object = reading.at(name);
  ReplyReading reply{steps_in(object, "reading." + name), {}};
  const auto least = object.find("least_log_prob");
  if (least == object.end()) return reply;
  if (!least->is_number()) throw std::runtime_error("has no number in 'reading." + name + ".least_log_prob'");
  reply.least_log_prob = least->get<double>();
  return reply;
}

}  // namespace

std::vector<Completion> answers(LanguageModel& model, const std::vector<std::vector<Turn>>& histories,
                                const SamplingParams& sampling) {
  std::vector<std::unique_ptr<Conversation>> conversations;
  std::vector<Conversation*> lent;
  for (const auto& history : histories) {
    if (history.empty() || history.back().role != "user")
      throw std::runtime_error("a dialogue does not end with a turn of the seeker");
    conversations.push_back(model.begin(history));
    lent.push_back(conversations.back().get());
  }
  return model.answer(lent, std::vector<std::string>(lent.size()), sampling);
}

std::vector<StepTexts> read(LanguageModel& reader, const std::vector<std::vector<Turn>>& histories) {
  return steps_of(answers(reader, histories, {0, longest_reading, 0, {"</strategy>"}}));
}

std::vector<std::vector<ReplyReading>> read_replies(LanguageModel& reader,
                                                    const std::vector<AnsweredDialogue>& dialogues) {
  const auto steps = steps_behind(reader, dialogues);
  std::vector<std::unique_ptr<Conversation>> conversations;
  std::vector<Conversation*> lent;
  std::vector<std::string> said;
  std::vector<std::vector<size_t>> places;  // index in `scores` of each reply; equal replies share one
  for (const AnsweredDialogue& dialogue : dialogues) {
    conversations.push_back(reader.begin(dialogue.history));
    std::map<std::string, size_t> known;
    auto& of_dialogue = places.emplace_back();
    for (const std::string& reply : dialogue.replies) {
      const auto [place, is_new] = known.emplace(reply, said.size());
      of_dialogue.push_back(place->second);
      if (!is_new || reply.empty()) continue;
      lent.push_back(conversations.back().get());
      said.push_back(completion_with(reply, steps.at(reply), dialogue.reading));
    }
  }
  const auto scores = reader.score(lent, said);
  std::vector<std::vector<ReplyReading>> all;
  for (size_t i = 0; i < dialogues.size(); ++i) {
    auto& readings = all.emplace_back();
    for (size_t k = 0; k < places[i].size(); ++k) {
      const std::string& reply = dialogues[i].replies[k];
      if (reply.empty())
        readings.emplace_back();
      else
        readings.push_back({steps.at(reply), *std::ranges::min_element(scores[places[i][k]])});
    }
  }
  return all;
}

nlohmann::json to_json(const ReplyReading& reading) {
  auto object = to_json(reading.steps);
  if (reading.least_log_prob) object["least_log_prob"] = *reading.least_log_prob;
  return object;
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
  if (!record.contains("reading")) throw std::runtime_error("has no 'reading': run the stage read");
  const auto& object = record.at("reading");
  if (reads.dialogue) reading.dialogue = steps_in(object, "reading");
  if (!reads.replies) return reading;
  reading.reference = reply_in(object, "reference");
  reading.reply = reply_in(object, "reply");
  return reading;
}

}  // namespace compeer::judging
