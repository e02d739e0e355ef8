// Maps answers of a judge to verdicts, and combines several votes.
#include "judging/judge.h"

#include <algorithm>
#include <cmath>

#include "empathy/format.h"

namespace compeer::judging {

namespace {

double value_of(empathy::Preference preference) { return empathy::as_good(preference) ? 1.0 : -1.0; }

// Returns the value that most votes have; of equally frequent ones, the one that occurs first. Empty if no vote has
// one.
template <class Value, class Get>
std::optional<Value> most(const std::vector<Verdicts>& votes, Get get) {
  std::vector<std::pair<Value, int>> counted;
  for (const Verdicts& vote : votes) {
    const std::optional<Value> value = get(vote);
    if (!value) continue;
    const auto known = std::find_if(counted.begin(), counted.end(), [&](const auto& c) { return c.first == *value; });
    if (known == counted.end())
      counted.emplace_back(*value, 1);
    else
      ++known->second;
  }
  if (counted.empty()) return std::nullopt;
  return std::max_element(counted.begin(), counted.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace

JudgeInput parse_completion(const std::string& completion) {
  auto steps = empathy::steps_of(completion);
  return {{std::move(steps.history), std::move(steps.emotion), std::move(steps.strategy)},
          {empathy::reply_of(completion)}};
}

Verdicts Questions::majority(const std::vector<Verdicts>& votes) {
  Verdicts all;
  for (size_t step = 0; step < 3; ++step)
    all.steps[step] = most<double>(votes, [&](const Verdicts& vote) { return vote.steps[step]; });
  all.preference = most<empathy::Preference>(votes, [](const Verdicts& vote) { return vote.preference; });
  if (all.preference) all.reply = value_of(*all.preference);
  for (const Verdicts& vote : votes) all.count(vote);
  return all;
}

void Verdicts::count(const Verdicts& other) {
  asked += other.asked;
  if (unreadable == 0) first_unreadable = other.first_unreadable;
  unreadable += other.unreadable;
}

bool Questions::asks(const JudgeInput& one, size_t question) const {
  return question == reply ? scope_.reply && !one.reply.text.empty() : scope_.steps && one.steps[question].has_value();
}

std::string Questions::text(const JudgedGroup& group, const JudgeInput& one, size_t question) const {
  if (question < reply) return form_.about_step(question, *one.steps[question], group.reading);
  return decoding_.swap ? form_.about_replies(one.reply, group.reference, group.reading)
                        : form_.about_replies(group.reference, one.reply, group.reading);
}

const empathy::Answers& Questions::words(size_t question) const {
  return question < reply ? form_.verdicts().answers() : form_.preferences().answers();
}

void Questions::record_answer(Verdicts& verdicts, size_t question, std::optional<size_t> word,
                              const std::string& answer) const {
  ++verdicts.asked;
  if (!word) {
    if (verdicts.unreadable++ == 0) verdicts.first_unreadable = answer;
  } else if (question < reply) {
    if (!verdicts.steps[question]) verdicts.steps[question] = *word == 0 ? 1.0 : -1.0;
  } else if (!verdicts.preference) {
    const auto said = static_cast<empathy::Preference>(*word);
    verdicts.preference = decoding_.swap ? empathy::swapped(said) : said;
    verdicts.reply = value_of(*verdicts.preference);
  }
}

// The value is P(good) - P(bad), with the probabilities normalized to sum to 1. The preference is the most likely word
// of the more likely side: each side has two words, so the single most likely word may be on the losing side.
void Questions::record_probabilities(Verdicts& verdicts, size_t question, const std::vector<double>& log_probs) const {
  const auto preference = [&](size_t word) {
    const auto said = static_cast<empathy::Preference>(word);
    return decoding_.swap ? empathy::swapped(said) : said;
  };
  const auto value = [&](size_t word) {
    return question < reply ? (word == 0 ? 1.0 : -1.0) : value_of(preference(word));
  };
  double sum = 0, difference = 0;
  for (size_t word = 0; word < log_probs.size(); ++word) {
    sum += std::exp(log_probs[word]);
    difference += value(word) * std::exp(log_probs[word]);
  }
  (question < reply ? verdicts.steps[question] : verdicts.reply) = difference / sum;
  if (question < reply) return;
  size_t likeliest = log_probs.size();
  for (size_t word = 0; word < log_probs.size(); ++word) {
    if ((value(word) > 0) != (difference > 0)) continue;
    if (likeliest == log_probs.size() || log_probs[word] > log_probs[likeliest]) likeliest = word;
  }
  verdicts.preference = preference(likeliest);
}

}  // namespace compeer::judging
