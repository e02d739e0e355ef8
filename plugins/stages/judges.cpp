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

Judges::Judges(const Settings& settings, Host& host)
    : panel_(settings, host, {}, {.by_likelihood = settings.text("by") == "likelihood", .swap = settings.flag("swap")}),
      reads_(settings) {
  for (const auto& folder : panel_.models()) weights_.push_back(judging::weights_of(folder));
}

judging::Opinion Judges::opinion(const cer::Record& record) const {
  const auto& c = record.candidate;
  const auto reading = about(record.id, "run the stage read before this one, or leave reads and reads_replies false",
                             [&] { return judging::reading_in(record.all, reads_); });
  const judging::InterpretedReply reference{record.reference, reading.reference};
  const judging::JudgeInput one{{c.history, c.emotion, c.strategy}, {c.reply, reading.reply}};
  return panel_.judge(record.history, reference, {one}, reading.dialogue)[0];
}

}  // namespace compeer::stages
