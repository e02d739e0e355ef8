// Asks judges about records.
#include "stages/judges.h"

#include <stdexcept>

#include "base/error.h"

namespace compeer::stages {

namespace {

// Returns f(); turns a std::runtime_error into an Error (exit 4) that names the record.
template <class F>
auto about(const std::string& id, const std::string& help, F&& f) {
  try {
    return f();
  } catch (const std::runtime_error& error) {
    throw Error("record '" + id + "'", error.what(), help, Exit::data);
  }
}

// Returns the step, or nothing if it is empty; such a step is not asked about.
std::optional<std::string> step(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

}  // namespace

cer::Record parse_judged_record(const nlohmann::json& record) {
  return about(record.at("id"), "run the stage generate or human_labels first: judges need its records",
               [&] { return cer::read(record); });
}

Judges::Judges(const Settings& settings, Host& host)
    : reads_(settings),
      by_likelihood_(settings.text("score_by") == "likelihood"),
      panel_(settings, host, {}, reads_),
      fingerprints_(panel_.fingerprints()) {}

std::vector<judging::Verdicts> Judges::opinions(const std::vector<cer::Record>& records) const {
  std::vector<judging::JudgedGroup> groups;
  for (const auto& record : records) groups.push_back(group_of(record));
  std::vector<judging::Verdicts> all;
  for (const auto& of_record : panel_.judge(groups)) all.push_back(of_record[0]);
  return all;
}

void Judges::count(const judging::Verdicts& opinion, Outcome& outcome) const {
  if (by_likelihood_ || panel_.is_remote()) return;
  outcome.counts["questions"] += opinion.asked;
  if (opinion.unreadable > 0) outcome.counts["malformed answers"] += opinion.unreadable;
}

judging::JudgedGroup Judges::group_of(const cer::Record& record) const {
  const auto& c = record.candidate;
  const auto reading = about(record.id, "run the stage read before this one, or leave reads and reads_replies false",
                             [&] { return judging::reading_in(record.all, reads_); });
  return {record.history,
          {record.reference, reading.reference},
          {{{step(c.history), step(c.emotion), step(c.strategy)}, {c.reply, reading.reply}}},
          reading.dialogue};
}

}  // namespace compeer::stages
