#include "tools/annotate/merged.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace compeer::annotate {

namespace {

using nlohmann::json;
using Given = std::vector<AnnotationLine>;

bool all_equal(const Given& given) {
  return std::all_of(given.begin(), given.end(), [&](const AnnotationLine& one) {
    return one.steps == given[0].steps && one.preference == given[0].preference;
  });
}

size_t number(const std::string& preference) {
  return static_cast<size_t>(std::find(preferences.begin(), preferences.end(), preference) - preferences.begin());
}

// What most say about one question.
template <class Read>
size_t most(const Given& given, Read read) {
  std::vector<size_t> labels;
  for (const auto& one : given) labels.push_back(read(one));
  return majority(labels);
}

// The answers to a record, or in `reason` the question that has none.
std::optional<AnnotationLine> settled(const Given& given, std::string& reason) {
  AnnotationLine result;
  result.steps.resize(given[0].steps.size());
  for (size_t c = 0; c < result.steps.size(); ++c) {
    for (size_t k = 0; k < 3; ++k) {
      const size_t answer = most(given, [&](const AnnotationLine& one) { return one.steps[c][k] ? 1u : 0u; });
      if (answer == no_majority) reason = fmt::format("no majority on {}", reasoning_steps[k]);
      result.steps[c][k] = answer == 1;
    }
  }
  const size_t preference = most(given, [](const AnnotationLine& one) { return number(one.preference); });
  if (preference == no_majority)
    reason = "no majority on the preference";
  else
    result.preference = preferences[preference];
  if (!reason.empty()) return {};
  return result;
}

json all_of(const Given& given) {
  json list = json::array();
  for (const auto& one : given) list.push_back(one.to_json());
  return list;
}

void finish(Merged& merged, const json& record, const std::string& preference, const Given& given) {
  merged.finished.push_back(record);
  merged.finished.back()["preference"] = preference;
  merged.finished.back()["annotators"] = all_of(given);
}

void settle(Merged& merged, const json& record, const Given& given) {
  std::string reason;
  const auto answers = settled(given, reason);
  if (!answers) {
    merged.dropped.push_back({{"id", record.at("id")}, {"reason", reason}, {"annotators", all_of(given)}});
    return;
  }
  finish(merged, record, answers->preference, given);
  if (!answers->steps.empty()) merged.finished.back()["steps"] = answers->steps;
}

}  // namespace

Merged merged(const RecordFile& file, const std::vector<AnnotationLine>& judgements) {
  std::vector<Given> by_record(file.records.size());
  for (const auto& one : judgements) by_record[one.record].push_back(one);
  Merged result;
  for (size_t record = 0; record < by_record.size(); ++record) {
    const Given& given = by_record[record];
    const auto evident = evident_preference(file.records[record]);
    if (given.empty() && !evident.empty())
      finish(result, file.records[record], evident, given);
    else if (given.size() < 2)
      result.waiting.push_back(record);
    else if (given.size() == 2 && !all_equal(given))
      result.open.push_back(record);
    else
      settle(result, file.records[record], given);
  }
  return result;
}

std::vector<QuestionAgreement> agreement_by_question(const RecordFile& file,
                                                     const std::vector<AnnotationLine>& judgements,
                                                     const statistics::Resampling& how) {
  Judgements whole, preference;
  std::array<Judgements, 3> steps;
  for (const auto& one : judgements) {
    const auto& id = file.records[one.record].at("id").get_ref<const std::string&>();
    for (size_t c = 0; c < one.steps.size(); ++c)
      for (size_t k = 0; k < 3; ++k)
        steps[k].add(fmt::format("{} {}", c, id), one.annotator, one.steps[c][k] ? "True" : "False");
    preference.add(id, one.annotator, one.preference);
    whole.add(id, one.annotator, fmt::format("{} {}", json(one.steps).dump(), one.preference));
  }
  // A third is asked about records, so that only whole judgements show who was. Annotators have the same numbers in
  // all.
  const auto left_out = adjudicators(whole);
  std::vector<QuestionAgreement> result;
  for (size_t k = 0; k < 3; ++k) {
    if (steps[k].size() > 0) result.push_back({reasoning_steps[k], agreement(steps[k], left_out, how)});
  }
  result.push_back({"preference", agreement(preference, left_out, how)});
  return result;
}

}  // namespace compeer::annotate
