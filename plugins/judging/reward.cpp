// Computes the rewards that judges give: weights of the verdicts, missing and unreadable parts, readings.
#include "judging/reward.h"

#include <algorithm>

#include "empathy/format.h"
#include "judging/reading.h"
#include "judging/trained_judge.h"

namespace compeer::judging {

namespace {

double number_or_0(const Settings& settings, const char* key) {
  return settings.json().contains(key) ? settings.number(key) : 0.0;
}

// True if a row with all parts has right steps and a worse reply, or a wrong step and a good reply.
bool contradictory(const Scores::Row& row) {
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
      abstain_on_contradiction_(settings.json().value("contradictory", "kept") == "left_out"),
      judges_(settings, host, scope, {settings.has("reader"), reads_replies_}) {
  if (settings.has("accuracy") && scope.steps)
    require_recall(settings.text("accuracy"), judges_.names()[0], judges_.fingerprints()[0],
                   settings.number("min_recall"));
  if (settings.has("reader")) reader_ = &host.language_model(settings.text("reader"));
  if (reads_replies_ && !reader_) throw std::runtime_error("reads_replies = true requires a 'reader'");
  if (settings.has("broken_format")) broken_format_ = settings.number("broken_format");
}

std::vector<Scores> JudgedReward::score_all(std::span<const Group> groups) {
  std::vector<JudgedGroup> judged;
  for (const Group& group : groups) {
    auto& one = judged.emplace_back(JudgedGroup{group.example.history, {empathy::reply_of(group.example.answer)}, {}});
    for (const Completion& completion : group.completions) one.completions.push_back(parse_completion(completion.text));
    if (reader_) add_readings(one);
  }
  const auto opinions = judges_.judge(judged);
  std::vector<Scores> all(groups.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    for (size_t i = 0; i < opinions[g].size(); ++i)
      all[g].add(row(groups[g].completions[i], judged[g].completions[i], opinions[g][i]));
  }
  return all;
}

// Adds the reader's steps for the dialogue and, if the judge reads replies, its view of each reply.
void JudgedReward::add_readings(JudgedGroup& group) const {
  group.reading = read(*reader_, {group.history})[0];
  if (!reads_replies_ || !scope_.reply) return;
  AnsweredDialogue dialogue{group.history, group.reading, {group.reference.text}};
  for (const JudgeInput& one : group.completions) dialogue.replies.push_back(one.reply.text);
  const auto readings = read_replies(*reader_, {dialogue})[0];
  group.reference.reading = readings[0];
  for (size_t i = 0; i < group.completions.size(); ++i) group.completions[i].reply.reading = readings[i + 1];
}

bool JudgedReward::all_answered(const JudgeInput& one, const Verdicts& opinion) const {
  bool all = !scope_.reply || one.reply.text.empty() || opinion.reply;
  for (size_t step = 0; scope_.steps && step < 3; ++step) all = all && (!one.steps[step] || opinion.steps[step]);
  return all;
}

Scores::Row JudgedReward::row(const Completion& completion, const JudgeInput& one, const Verdicts& opinion) const {
  Scores::Row columns{{"reward", 0.0}};
  const auto part = [&](const char* name, double weight, double value) {
    columns[0].second += weight * value;
    columns.emplace_back(name, value);
  };
  // A part that exists has the value of its verdict, a missing one -1. A missing verdict counts 0, or no_opinion if a
  // chat model judges.
  const double unsaid = judges_.is_remote() ? no_opinion : 0.0;
  const auto counted = [&](bool there, const std::optional<double>& said) {
    return there ? said.value_or(unsaid) : -1.0;
  };
  const bool complete = completion.finished && empathy::parse(completion.text);
  for (size_t step = 0; scope_.steps && step < 3; ++step)
    part(step_names[step], step_weight_, counted(one.steps[step].has_value(), opinion.steps[step]));
  if (scope_.reply) part("reply", reply_weight_, counted(!one.reply.text.empty(), opinion.reply));
  if (format_) part("format", format_weight_, complete ? 1.0 : -1.0);
  if (broken_format_ && !complete) columns[0].second = *broken_format_;
  if (abstain_on_contradiction_ && complete && contradictory(columns)) columns[0].second = no_opinion;
  if (judges_.is_remote() && !all_answered(one, opinion)) columns[0].second = no_opinion;
  columns.emplace_back("asked", opinion.asked);
  columns.emplace_back("unreadable", opinion.unreadable);
  return columns;
}

}  // namespace compeer::judging
