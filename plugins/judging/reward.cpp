#include "judging/reward.h"

#include <algorithm>

#include "empathy/format.h"
#include "judging/floor.h"
#include "judging/reading.h"

namespace compeer::judging {

namespace {

Hearing hearing_of(const Settings& settings) {
  return {static_cast<int>(settings.integer("votes")), settings.number("temperature"),
          settings.text("by") == "likelihood", settings.flag("swap")};
}

double number_or_0(const Settings& settings, const char* key) {
  return settings.json().contains(key) ? settings.number(key) : 0.0;
}

// What a judge was asked counts as it said, 0 if that can't be read; what is not there counts -1.
double counted(bool there, const std::optional<double>& said) { return there ? said.value_or(0.0) : -1.0; }

// Of a row with all parts: are the steps right and the reply worse, or the other way round?
bool contradictory(const Scores::Columns& row) {
  const auto right = [](const auto& column) { return column.second > 0; };
  const auto steps = row.begin() + 1, reply = steps + step_names.size();
  return std::all_of(steps, reply, right) != right(*reply);
}

}  // namespace

JudgedReward::JudgedReward(const Settings& settings, Host& host, Scope scope, bool format)
    : scope_(scope),
      reads_replies_(settings.flag("reads_replies")),
      format_(format),
      step_weight_(number_or_0(settings, "step_weight")),
      reply_weight_(number_or_0(settings, "reply_weight")),
      format_weight_(number_or_0(settings, "format_weight")),
      consistent_(settings.json().value("contradictory", "kept") == "left_out"),
      judges_(settings, host, scope, hearing_of(settings)) {
  if (settings.has("accuracy") && scope.steps)
    hold_to_floor(settings.text("accuracy"), settings.text("model"), settings.number("least_recall"));
  if (settings.has("reader")) reader_ = &host.language_model(settings.text("reader"));
  if (reads_replies_ && !reader_) throw std::runtime_error("reads_replies = true needs a 'reader'");
  if (settings.has("broken_format")) broken_format_ = settings.number("broken_format");
}

std::vector<std::string> JudgedReward::parts() const {
  std::vector<std::string> names{"reward"};
  if (scope_.steps) names.insert(names.end(), step_names.begin(), step_names.end());
  if (scope_.reply) names.emplace_back("reply");
  if (format_) names.emplace_back("format");
  names.emplace_back("unreadable");
  return names;
}

void JudgedReward::score(std::span<const Group> groups, Scores& scores) {
  for (const Group& group : groups) score(group, scores);
}

void JudgedReward::score(const Group& group, Scores& scores) const {
  std::vector<JudgeInput> cases;
  for (const Completion& completion : group.completions) cases.push_back(case_of(completion.text));
  const auto& history = group.example.history;
  InterpretedReply reference{empathy::reply_of(group.example.answer)};
  const auto reading = show_readings(history, reference, cases);
  const auto opinions = judges_.judge(history, reference, cases, reading);
  for (size_t i = 0; i < cases.size(); ++i)
    scores.add(group.completions[i], row(group.completions[i], cases[i], opinions[i]));
}

// What the reader makes of the dialogue; and of the replies, put beside them.
StepTexts JudgedReward::show_readings(const std::vector<Turn>& history, InterpretedReply& reference,
                                      std::vector<JudgeInput>& cases) const {
  if (!reader_) return {};
  const auto reading = read(*reader_, {history})[0];
  if (reads_replies_ && scope_.reply) {
    AnsweredDialogue dialogue{history, reading, {reference.text}};
    for (const JudgeInput& one : cases) dialogue.replies.push_back(one.reply.text);
    const auto readings = read_replies(*reader_, {dialogue})[0];
    reference.reading = readings[0];
    for (size_t i = 0; i < cases.size(); ++i) cases[i].reply.reading = readings[i + 1];
  }
  return reading;
}

Scores::Columns JudgedReward::row(const Completion& completion, const JudgeInput& one, const Opinion& opinion) const {
  Scores::Columns columns{{"reward", 0.0}};
  const auto part = [&](const char* name, double weight, double value) {
    columns[0].second += weight * value;
    columns.emplace_back(name, value);
  };
  const bool complete = completion.finished && empathy::parse(completion.text);
  for (size_t step = 0; scope_.steps && step < 3; ++step)
    part(step_names[step], step_weight_, counted(one.steps[step].has_value(), opinion.steps[step]));
  if (scope_.reply) part("reply", reply_weight_, counted(!one.reply.text.empty(), opinion.reply));
  if (format_) part("format", format_weight_, complete ? 1.0 : -1.0);
  if (broken_format_ && !complete) columns[0].second = *broken_format_;
  if (consistent_ && complete && contradictory(columns)) columns[0].second = no_opinion;
  columns.emplace_back("unreadable", opinion.unreadable);
  return columns;
}

}  // namespace compeer::judging
