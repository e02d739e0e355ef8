// Composes the context and the questions of a judge's conversation, from prompt templates or from the bare texts.
#include "judging/judge_format.h"

#include <filesystem>

#include "base/hash.h"
#include "text/words.h"

namespace compeer::judging {

namespace {

// Replaces a reading that equals the judged step. It comes right before the answer: a small model takes hundreds of
// training steps to learn to attend to it further away.
constexpr const char* same = "same";
// Appended to a reply that has a token with a log-probability below `unlikely`: small models may generate non-words.
constexpr const char* unclear = "unclear";
constexpr double unlikely = -6;

// Returns the dialogue as lines of text; system turns are left out.
std::string lines_of(const std::vector<Turn>& turns, bool chinese) {
  std::string text;
  for (const Turn& turn : turns) {
    if (turn.role != "system") text += empathy::format_turn(turn.role, turn.text, chinese) + "\n";
  }
  return text;
}

// Returns the tagged reading of a step, or "" if there is none.
std::string beside_step(size_t step, const std::optional<std::string>& reading, const std::string& text) {
  return reading ? tagged(step_names[step], reading == text ? same : *reading) : "";
}

// True if the words of `told` are a subsequence of `reading`. A reply shows only a part of the step behind it, so
// `told` may be shorter.
bool agrees(const std::vector<std::string>& told, const std::vector<std::string>& reading) {
  auto next = told.begin();
  for (const std::string& word : reading) {
    if (next != told.end() && *next == word) ++next;
  }
  return next == told.end() && !told.empty();
}

// Returns the reply's reading in tags, compared with the reading of the dialogue.
std::string beside_reading(const ReplyReading& reply, const StepTexts& dialogue) {
  std::string all;
  for (size_t step = 0; step < dialogue.size(); ++step) {
    const auto& told = reply.steps[step];
    if (!told) continue;
    const bool agreed = dialogue[step] && agrees(text::words(*told), text::words(*dialogue[step]));
    all += tagged(step_names[step], agreed ? same : *told);
  }
  return reply.least_log_prob.value_or(0) < unlikely ? all + unclear : all;
}

}  // namespace

std::string tagged(const std::string& tag, const std::string& text) {
  return "<" + tag + ">" + text + "</" + tag + ">";
}

JudgeFormat::JudgeFormat(const Settings& settings, const std::string& prompts)
    : verdicts_(settings.texts("step_words")),
      preferences_(settings.texts("preference_words")),
      prompts_folder_(settings.has("prompts") ? settings.text("prompts") : prompts) {
  if (!prompts_folder_.empty()) prompts_ = read(prompts_folder_);
}

JudgeFormat::Prompts JudgeFormat::read(const std::string& folder) {
  const auto prompt = [&](const std::string& name, const std::vector<std::string>& slots) {
    return empathy::PromptTemplate::read(std::filesystem::path(folder) / ("judge_" + name + ".txt"), slots);
  };
  Prompts all{prompt("context", {"history"}),
              prompt("reading", {"step"}),
              {},
              prompt("replies", {"first", "second", "answers"})};
  for (const char* name : step_names) all.steps.push_back(prompt(std::string("step_") + name, {"step", "answers"}));
  return all;
}

std::string JudgeFormat::fingerprint() const {
  return sha256(empathy::listed(verdicts_.answers().answers()) + "; " +
                empathy::listed(preferences_.answers().answers()) + prompt_hashes());
}

std::string JudgeFormat::prompts_sha256() const { return prompts_ ? sha256(prompt_hashes()) : ""; }

std::string JudgeFormat::prompt_hashes() const {
  std::string all;
  if (!prompts_) return all;
  for (const auto* prompt : {&prompts_->context, &prompts_->reading, &prompts_->replies}) all += prompt->sha256();
  for (const auto& prompt : prompts_->steps) all += prompt.sha256();
  return all;
}

std::vector<Turn> JudgeFormat::context(const std::vector<Turn>& history) const {
  if (!prompts_) return history;
  Turn all{"system", prompts_->context.fill({{"history", lines_of(history, prompts_->context.chinese())}})};
  for (const Turn& turn : history) all.pictures.insert(all.pictures.end(), turn.pictures.begin(), turn.pictures.end());
  return {all};
}

// Returns the reading of a step in the form that precedes a question, or "" if there is none.
std::string JudgeFormat::shown(const StepTexts& reading, size_t step) const {
  if (!reading[step]) return "";
  return prompts_ ? prompts_->reading.fill({{"step", *reading[step]}}) + "\n"
                  : tagged(step_names[step], *reading[step]);
}

std::string JudgeFormat::shown(const StepTexts& reading) const {
  std::string all;
  for (size_t step = 0; step < reading.size(); ++step) all += shown(reading, step);
  return all;
}

std::string JudgeFormat::about_step(size_t step, const std::string& text, const StepTexts& reading) const {
  if (!prompts_) return tagged(step_names[step], text) + beside_step(step, reading[step], text);
  return shown(reading, step) +
         prompts_->steps[step].fill({{"step", text}, {"answers", empathy::listed(verdicts_.answers().answers())}});
}

std::string JudgeFormat::about_replies(const InterpretedReply& first, const InterpretedReply& second,
                                       const StepTexts& reading) const {
  if (!prompts_) {
    const auto one = beside_reading(first.reading, reading), other = beside_reading(second.reading, reading);
    const auto told = one.empty() && other.empty() ? "" : "\n" + one + "\n" + other;
    return shown(reading) + first.text + "\n" + second.text + told;
  }
  return shown(reading) + prompts_->replies.fill({{"first", shown(first.reading.steps) + first.text},
                                                  {"second", shown(second.reading.steps) + second.text},
                                                  {"answers", empathy::listed(preferences_.answers().answers())}});
}

}  // namespace compeer::judging
