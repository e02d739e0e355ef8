#include "stages/judges.h"

#include <stdexcept>

#include "base/error.h"
#include "judging/weights.h"

namespace compeer::stages {

namespace {

// f(), whose complaints are about the record.
template <class F>
auto about(const std::string& id, const std::string& help, F&& f) {
  try {
    return f();
  } catch (const std::runtime_error& error) {
    throw Error("record '" + id + "'", error.what(), help, Exit::data);
  }
}

}  // namespace

cer::Record known(const nlohmann::json& record) {
  return about(record.at("id"), "a judge is asked about records that the stage generate made",
               [&] { return cer::read(record); });
}

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
  const auto reading = about(record.id, "run the stage read before this one, or leave reads and reads_replies false",
                             [&] { return judging::reading_in(record.all, reads_); });
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
