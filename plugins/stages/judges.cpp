#include "stages/judges.h"

#include "judging/weights.h"

namespace compeer::stages {

Judges::Judges(const Settings& settings, Host& host) : reads_(settings) {
  const judging::Form form(settings);
  const auto add = [&](const char* key, judging::Scope scope) {
    const auto folder = settings.text(key);
    judges_.emplace_back(
        host.speaker(folder), form, scope,
        judging::Hearing{.by_likelihood = settings.text("by") == "likelihood", .swap = settings.flag("swap")});
    weights_.push_back(judging::weights_of(folder));
  };
  const bool apart = settings.has("outcome_model");
  add("model", {.steps = true, .reply = !apart, .apart = apart});
  if (apart) add("outcome_model", {.steps = false, .reply = true, .apart = true});
}

judging::Opinion Judges::opinion(const cer::Record& record) const {
  const auto& c = record.candidate;
  const auto reading = judging::reading_in(record.all, reads_);
  const judging::Reply reference{record.reference, reading.reference};
  const judging::Case one{{c.history, c.emotion, c.strategy}, {c.reply, reading.reply}};
  judging::Opinion all;
  for (const auto& judge : judges_) {
    const auto heard = judge.judge(record.history, reference, {one}, reading.dialogue)[0];
    for (size_t step = 0; step < 3; ++step) {
      if (heard.steps[step]) all.steps[step] = heard.steps[step];
    }
    if (heard.preference) all.preference = heard.preference, all.reply = heard.reply;
  }
  return all;
}

}  // namespace compeer::stages
