// Agreement of a judge with people's ratings.
#include "stages/human_agreement/agreement.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "stages/by_dialogue.h"
#include "stages/human_labels/labels.h"
#include "statistics/agreement.h"
#include "statistics/correlation.h"
#include "statistics/interval.h"
#include "text/words.h"

namespace compeer::stages {

namespace {

using nlohmann::json;
using statistics::mean;
using Replies = std::vector<const RatedReply*>;

// Returns the index of `value` in sorted `values`.
size_t category(const std::vector<double>& values, double value) {
  return static_cast<size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
}

std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Returns the ordinal alpha of two raters of the same items.
double ordinal_alpha(const std::vector<double>& one, const std::vector<double>& other) {
  auto both = one;
  both.insert(both.end(), other.begin(), other.end());
  const auto values = distinct(std::move(both));
  statistics::ContingencyTable table(one.size(), std::vector<size_t>(values.size()));
  for (size_t i = 0; i < one.size(); ++i) ++table[i][category(values, one[i])], ++table[i][category(values, other[i])];
  return statistics::krippendorff(table, statistics::Scale::ordinal);
}

// Returns the ratings sorted in the order of the measure. Items with equal measures get the mean of their ratings.
std::vector<double> by_rank(const std::vector<double>& measure, std::vector<double> ratings) {
  std::vector<size_t> order(measure.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return measure[a] < measure[b]; });
  std::sort(ratings.begin(), ratings.end());
  std::vector<double> placed(measure.size());
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && measure[order[end]] == measure[order[first]]) ++end;
    const double shared = mean(std::span(ratings).subspan(first, end - first));
    for (size_t i = first; i < end; ++i) placed[order[i]] = shared;
  }
  return placed;
}

double same_side(const std::vector<double>& measure, const std::vector<double>& ratings) {
  double right = 0, all = 0;
  bool below = false;
  for (size_t i = 0; i < ratings.size(); ++i) {
    below = below || ratings[i] < 0;
    if (ratings[i] == 0) continue;
    right += measure[i] == 0 ? 0.5 : (measure[i] > 0) == (ratings[i] > 0) ? 1.0 : 0.0;
    ++all;
  }
  return below && all > 0 ? right / all : std::nan("");
}

double larger_side(std::span<const RatedReply* const> replies) {
  double above = 0, below = 0;
  for (const auto* one : replies) above += mean(one->ratings) > 0, below += mean(one->ratings) < 0;
  return below > 0 ? std::max(above, below) / (above + below) : std::nan("");
}

HumanAgreement compared(const std::vector<double>& measured, const std::vector<double>& ratings) {
  if (ratings.empty()) return {std::nan(""), std::nan(""), std::nan("")};
  return {statistics::spearman(measured, ratings), ordinal_alpha(measured, ratings), same_side(measured, ratings)};
}

// Like `compared`, with the measure mapped to the scale of the ratings for alpha.
HumanAgreement judged(const std::vector<double>& measured, const std::vector<double>& ratings) {
  HumanAgreement found = compared(measured, ratings);
  if (!ratings.empty()) found.alpha = ordinal_alpha(by_rank(measured, ratings), ratings);
  return found;
}

HumanAgreement mean(const std::vector<HumanAgreement>& all) {
  HumanAgreement sum{0, 0, 0};
  for (const auto& [spearman, alpha, side] : all) sum.spearman += spearman, sum.alpha += alpha, sum.same_side += side;
  const auto n = static_cast<double>(all.size());
  return {sum.spearman / n, sum.alpha / n, sum.same_side / n};
}

std::vector<double> numbers(const json& table, const std::string& name) {
  std::vector<double> all;
  for (const json& one : table.value(name, json::array())) {
    if (one.is_number()) all.push_back(one);
  }
  return all;
}

// Returns people's ratings of a reply compared with the reference.
std::vector<double> comparisons(const json& record, const std::string& name) {
  return numbers(record.value("people", json::object()), name);
}

}  // namespace

HumanAgreement agreement(std::span<const RatedReply* const> replies, double RatedReply::*measure) {
  std::vector<double> measured, ratings;
  for (const auto* reply : replies) {
    measured.push_back(reply->*measure);
    ratings.push_back(mean(reply->ratings));
  }
  return judged(measured, ratings);
}

LeftOut one_left_out(std::span<const RatedReply* const> replies) {
  size_t people = 0;
  for (const auto* reply : replies) people = std::max(people, reply->ratings.size());
  std::vector<HumanAgreement> person, judge;
  for (size_t out = 0; out < people; ++out) {
    std::vector<double> own, measured, of_others;
    for (const auto* reply : replies) {
      auto others = reply->ratings;
      if (others.size() < 2 || others.size() <= out) continue;
      own.push_back(others[out]);
      measured.push_back(reply->judge);
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(out));
      of_others.push_back(mean(others));
    }
    person.push_back(compared(own, of_others));
    judge.push_back(judged(measured, of_others));
  }
  return {mean(person), mean(judge)};
}

std::vector<double> ratings_of(const json& record, const std::string& name) {
  const auto compared = comparisons(record, name);
  if (!compared.empty()) return compared;
  // Labels of the seeker's next turn apply only to the supporter's own reply.
  const json none = json::object(), seeker = record.value("seeker", none);
  return numbers(is_right(record) ? seeker.value("after", none) : none, name);
}

void count_rated(const json& record, const std::string& name_of_ratings, double judge, Outcome& outcome) {
  const auto words = [](const json& text) { return static_cast<double>(text::words(text.get<std::string>()).size()); };
  const auto ratings = ratings_of(record, name_of_ratings);
  const double than = comparisons(record, name_of_ratings).empty() ? 0 : words(record.at("reference"));
  const double longer = words(record.at("candidates").at(0).at("reply")) - than;
  const json name = {record.at("id"), ratings, judge, longer};
  outcome.counts[dialogue_count_name(record, name.dump())] = 1;
}

// Names of these counts are JSON, which preserves numbers exactly: ["c/1", [-4, -2], 0.25, 3].
std::vector<RatedDialogue> rated_dialogues(const std::map<std::string, double>& counts) {
  std::vector<RatedDialogue> dialogues;
  for (const auto& dialogue : by_dialogue(counts)) {
    RatedDialogue replies;
    for (const auto& [name, times] : dialogue) {
      const json one = name.starts_with('[') ? json::parse(name) : json();
      if (one.size() == 4) replies.push_back({one[1], one[2], one[3]});
    }
    if (!replies.empty()) dialogues.push_back(std::move(replies));
  }
  return dialogues;
}

json agreements(const std::vector<RatedDialogue>& dialogues, const statistics::Resampling& how) {
  const auto estimated = [&](const std::function<double(const Replies&)>& value) {
    return interval_json(statistics::bootstrap(
        dialogues.size(),
        [&](std::span<const size_t> rows) {
          Replies replies;
          for (const size_t row : rows) {
            for (const RatedReply& one : dialogues[row]) replies.push_back(&one);
          }
          return value(replies);
        },
        how));
  };
  const auto all_three = [&](const std::function<HumanAgreement(const Replies&)>& found) {
    return json{{"spearman", estimated([&](const Replies& replies) { return found(replies).spearman; })},
                {"alpha", estimated([&](const Replies& replies) { return found(replies).alpha; })},
                {"same_side", estimated([&](const Replies& replies) { return found(replies).same_side; })}};
  };
  size_t n = 0;
  for (const auto& dialogue : dialogues) n += dialogue.size();
  return {
      {"n", n},
      {"judge", all_three([](const Replies& replies) { return agreement(replies, &RatedReply::judge); })},
      {"longer", all_three([](const Replies& replies) { return agreement(replies, &RatedReply::length_difference); })},
      {"one_left_out",
       {{"person", all_three([](const Replies& replies) { return one_left_out(replies).person; })},
        {"judge_instead", all_three([](const Replies& replies) { return one_left_out(replies).judge; })}}},
      {"larger_side", estimated(larger_side)}};
}

}  // namespace compeer::stages
