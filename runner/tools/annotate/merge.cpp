// `compeer data merge`: merges the exports of annotators.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "tools/annotate/commands.h"
#include "tools/annotate/judgements.h"
#include "tools/annotate/page.h"
#include "tools/annotate/records.h"

namespace compeer::annotate {

namespace {

/// The result of merging several annotators' judgements. Two annotators judge each record; a third one those on which
/// they disagree in any answer. Each answer is that of the majority.
struct Merged {
  /// Records with "steps", "preference" and "annotators" (all judgements), in the order of the file. "annotators" is
  /// empty if the preference was evident, so that the record was not judged.
  std::vector<nlohmann::json> finished;
  // {"id", "reason", "annotators"} of records with three or more judgements but no majority.
  std::vector<nlohmann::json> dropped;
  std::vector<size_t> open;     ///< records on which two annotators disagree
  std::vector<size_t> waiting;  ///< records with fewer than two judgements
};

/// Agreement on one question. Its items are candidates (for steps) or records (for the preference).
struct QuestionAgreement {
  std::string question;  ///< history, emotion, strategy, preference
  Agreement agreement;
};

using nlohmann::json;
using Given = std::vector<AnnotationLine>;

bool all_equal(const Given& given) {
  return std::all_of(given.begin(), given.end(), [&](const AnnotationLine& one) {
    return one.steps == given[0].steps && one.preference == given[0].preference;
  });
}

size_t preference_number(const std::string& preference) {
  return static_cast<size_t>(std::find(preferences.begin(), preferences.end(), preference) - preferences.begin());
}

// Returns the majority's answer to one question.
template <class Read>
size_t most(const Given& given, Read read) {
  std::vector<size_t> labels;
  for (const auto& one : given) labels.push_back(read(one));
  return majority(labels);
}

// Returns the merged answers to a record; or nothing, and in `reason` the question without a majority.
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
  const size_t preference = most(given, [](const AnnotationLine& one) { return preference_number(one.preference); });
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

// Merges judgements, which are in the order of the exports and have no annotator twice for a record.
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

// Computes agreement by question, without adjudicators.
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
  // A third annotator is asked about whole records, so adjudicators are recognized by whole judgements. All Judgements
  // number the annotators alike.
  const auto left_out = adjudicators(whole);
  std::vector<QuestionAgreement> result;
  for (size_t k = 0; k < 3; ++k) {
    if (steps[k].size() > 0) result.push_back({reasoning_steps[k], agreement(steps[k], left_out, how)});
  }
  result.push_back({"preference", agreement(preference, left_out, how)});
  return result;
}

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* merge_help = R"(
EXPORT is a file that the page of `compeer data annotate` exported. Writes to DIR
  merged.jsonl    records with the answers on which both of two annotators, or a majority of three or more, agree;
                  "annotators" contains all judgements
  dropped.jsonl   records that three or more judged without a majority on some answer, with the reason
  third.html      the page for a third annotator: records on which two annotators disagree. Pass its export to the
                  next merge, together with the others
Records judged by fewer than two annotators are counted but not merged. Intervals are 95 % bootstrap intervals over
items.)";

struct MergeOptions {
  std::vector<std::string> exports;
  std::string folder, media, file, annotator;
  uint64_t seed = 2;
  bool as_json = false;
};

// Reads all exports, in the given order. Repeated judgements of an annotator count once.
std::vector<AnnotationLine> read_all(const std::vector<std::string>& exports, const RecordFile& file) {
  std::vector<AnnotationLine> all;
  // (record, annotator) -> index in `all`, file.
  std::map<std::pair<size_t, std::string>, std::pair<size_t, std::string>> seen;
  for (const auto& name : exports) {
    for (auto& one : read_export(name, file)) {
      const auto [before, is_new] = seen.try_emplace({one.record, one.annotator}, all.size(), name);
      if (!is_new && all[before->second.first] != one)
        throw Error(
            name,
            fmt::format("contains a judgement of '{}' by '{}' that differs from that in {}",
                        file.records[one.record].at("id").get<std::string>(), one.annotator, before->second.second),
            "pass only the last export of each annotator, and use a different name for each annotator", Exit::data);
      if (is_new) all.push_back(std::move(one));
    }
  }
  return all;
}

std::string lines(const std::vector<json>& records) {
  std::string text;
  for (const auto& record : records) text += json_line(record);
  return text;
}

// Refuses to drop records that were merged by an earlier call.
void refuse_fewer(const fs::path& file, const std::vector<json>& finished) {
  std::set<std::string> now;
  for (const auto& record : finished) now.insert(record.at("id").get<std::string>());
  std::error_code none;
  if (!fs::exists(file, none)) return;
  size_t missing = 0;
  read_lines(file, [&](json&& record, size_t) { missing += !now.contains(record.value("id", "")); });
  if (missing > 0)
    throw Error(file.string(), fmt::format("contains {} records that these exports do not merge", missing),
                "pass all exports, including earlier ones, or choose another --out", Exit::data);
}

void write(const MergeOptions& options, const RecordFile& file, const Merged& merged) {
  std::error_code error;
  const fs::path folder = options.folder;
  fs::create_directories(folder, error);
  refuse_fewer(folder / "merged.jsonl", merged.finished);
  write_file(folder / "merged.jsonl", lines(merged.finished));
  write_file(folder / "dropped.jsonl", lines(merged.dropped));
  fs::remove(folder / "third.html", error);  // from an earlier call
  if (merged.open.empty()) return;
  const auto name = "judgements-" + file.hash.substr(0, 8) + "-third";
  const AnnotationPage page{"Judging replies: disagreements of two annotators", name, options.annotator, "third",
                            options.seed};
  write_file(folder / "third.html", annotation_page(page, file, merged.open));
}

std::map<std::string, size_t> reasons(const Merged& merged) {
  std::map<std::string, size_t> counts;
  for (const auto& one : merged.dropped) ++counts[one.at("reason").get<std::string>()];
  return counts;
}

ordered_json merge_json(const RecordFile& file, const Merged& merged, const std::vector<QuestionAgreement>& questions) {
  ordered_json result{{"records", file.records.size()},   {"merged", merged.finished.size()},
                      {"dropped", merged.dropped.size()}, {"dropped_by_reason", reasons(merged)},
                      {"open", merged.open.size()},       {"waiting", merged.waiting.size()}};
  for (const auto& one : questions) result["agreement"][one.question] = to_json(one.agreement);
  return result;
}

void print_merge(const MergeOptions& options, const Merged& merged, const std::vector<QuestionAgreement>& questions) {
  std::cout << fmt::format("{:<12} {:>6}  {:<24} {}\n", "agreement", "n", "observed", "kappa");
  for (const auto& [question, agreement] : questions)
    std::cout << fmt::format("{:<12} {:>6}  {:<24} {}\n", question, agreement.n, text(agreement.observed),
                             kappa_text(agreement));
  std::cout << fmt::format("{} merged, {} dropped, {} open, {} judged by fewer than two\n", merged.finished.size(),
                           merged.dropped.size(), merged.open.size(), merged.waiting.size());
  for (const auto& [reason, count] : reasons(merged)) std::cout << fmt::format("  dropped: {} {}\n", count, reason);
  if (!merged.open.empty())
    std::cerr << fmt::format("{} is for a third annotator\n", (fs::path(options.folder) / "third.html").string());
}

int merge(MergeOptions options) {
  if (options.file.empty()) options.file = (fs::path(options.folder) / "records.jsonl").string();
  auto file = read_records(options.file);
  if (!options.media.empty()) file.folder = options.media;
  const auto judgements = read_all(options.exports, file);
  const bool of_one = std::all_of(judgements.begin(), judgements.end(),
                                  [&](const auto& one) { return one.annotator == judgements.front().annotator; });
  if (of_one && !judgements.empty())
    throw Error(options.exports.front(), fmt::format("all judgements are by '{}'", judgements.front().annotator),
                "pass exports of at least two annotators", Exit::data);
  const auto result = merged(file, judgements);
  const auto questions = agreement_by_question(file, judgements, {});
  write(options, file, result);
  if (options.as_json)
    std::cout << merge_json(file, result, questions) << '\n';
  else
    print_merge(options, result, questions);
  return 0;
}

}  // namespace

void add_merge(CLI::App& command, std::function<int()>& action) {
  auto options = std::make_shared<MergeOptions>();
  command.add_option("EXPORT", options->exports, "exports of the page")->required();
  command.add_option("--out", options->folder, "the folder for the results")->required()->type_name("DIR");
  command.add_option("--file", options->file, "the records; default: DIR/records.jsonl")->type_name("FILE");
  command.add_option("--media", options->media, "the folder of the pictures that the third page shows")
      ->type_name("DIR")
      ->default_str("that of the records");
  command.add_option("--annotator", options->annotator, "name of the third annotator; default: the page asks for it")
      ->type_name("NAME");
  command.add_option("--seed", options->seed, "random seed of the orders on the third page")
      ->type_name("S")
      ->capture_default_str();
  command.add_flag("--json", options->as_json, "counts and agreement as one JSON object");
  command.footer(merge_help);
  command.callback([options, &action] { action = [options] { return merge(*options); }; });
}

}  // namespace compeer::annotate
