#include "judging/judge.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "empathy/format.h"

namespace compeer::judging {

namespace {

constexpr size_t kReply = 3;  // the question after those about the three steps
constexpr int64_t kLongestAnswer = 16;

double value_of(empathy::Preference preference) { return empathy::as_good(preference) ? 1.0 : -1.0; }

bool asks(const JudgeInput& one, const Scope& scope, size_t question) {
  return question == kReply ? scope.reply && !one.reply.text.empty() : scope.steps && one.steps[question].has_value();
}

// The answer that most of those who gave one gave; of equally many, the one that was given first.
template <class Value, class Get>
std::optional<Value> majority(const std::vector<Opinion>& votes, Get get) {
  std::vector<std::pair<Value, int>> counted;
  for (const Opinion& vote : votes) {
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

Opinion of_many(const std::vector<Opinion>& votes) {
  Opinion all;
  for (size_t step = 0; step < 3; ++step)
    all.steps[step] = majority<double>(votes, [&](const Opinion& vote) { return vote.steps[step]; });
  all.preference = majority<empathy::Preference>(votes, [](const Opinion& vote) { return vote.preference; });
  if (all.preference) all.reply = value_of(*all.preference);
  for (const Opinion& vote : votes) all.unreadable += vote.unreadable;
  return all;
}

}  // namespace

JudgeInput case_of(const std::string& completion) {
  auto steps = empathy::steps_of(completion);
  return {{std::move(steps.history), std::move(steps.emotion), std::move(steps.strategy)},
          {empathy::reply_of(completion)}};
}

// Measured: a pass costs as much as ten tokens or so, a guess that is wrong the reading of all later questions. What is
// asked together shares its passes, so one is saved only if all guesses are right.
bool Habit::sure(size_t many) const {
  const int64_t all = std::accumulate(said_.begin(), said_.end(), other_);
  return 10 * static_cast<int64_t>(many) * (all - said_[mostly()]) <= all && all > 0;
}

// What is to be judged.
struct Judge::Matter {
  const Conversation& context;
  const InterpretedReply& reference;
  const std::vector<JudgeInput>& cases;
  const StepTexts& reading;
};

// What is asked in one conversation, of one case.
struct Judge::Inquiry {
  size_t whose;
  std::unique_ptr<Conversation> conversation;
  std::vector<size_t> about;  // which of the four questions
  std::vector<Question> questions;
};

std::vector<Opinion> Judge::judge(const std::vector<Turn>& history, const InterpretedReply& reference,
                                  const std::vector<JudgeInput>& cases, const StepTexts& reading) const {
  const auto context = language_model_.begin(form_.context(history));
  const Matter matter{*context, reference, cases, reading};
  if (hearing_.votes <= 1 || hearing_.by_likelihood) return hear(matter, 0);
  std::vector<std::vector<Opinion>> votes(cases.size());
  for (int vote = 0; vote < hearing_.votes; ++vote) {
    const auto heard = hear(matter, static_cast<uint32_t>(vote));
    for (size_t i = 0; i < cases.size(); ++i) votes[i].push_back(heard[i]);
  }
  std::vector<Opinion> all;
  for (const auto& of_case : votes) all.push_back(of_many(of_case));
  return all;
}

std::vector<Opinion> Judge::hear(const Matter& matter, uint32_t draw) const {
  const SamplingParams sampling{hearing_.votes > 1 ? hearing_.temperature : 0.0, kLongestAnswer, draw};
  const auto inquiries = inquiries_into(matter);
  std::vector<Conversation*> conversations;
  std::vector<std::vector<Question>> questions;
  for (const Inquiry& inquiry : inquiries) {
    conversations.push_back(inquiry.conversation.get());
    questions.push_back(inquiry.questions);
  }
  std::vector<Opinion> opinions(matter.cases.size());
  if (conversations.empty()) return opinions;
  const auto answers = language_model_.ask(conversations, questions, sampling, hearing_.by_likelihood);
  for (size_t i = 0; i < inquiries.size(); ++i) {
    Opinion& opinion = opinions[inquiries[i].whose];
    for (size_t k = 0; k < answers[i].size(); ++k) {
      const size_t question = inquiries[i].about[k];
      if (hearing_.by_likelihood) weigh(opinion, question, answers[i][k].log_probs);
      take(opinion, question, answers[i][k].answer.text);
    }
  }
  return opinions;
}

std::vector<Judge::Inquiry> Judge::inquiries_into(const Matter& matter) const {
  std::vector<Inquiry> all;
  for (size_t i = 0; i < matter.cases.size(); ++i) {
    bool begun = false;
    for (size_t question = 0; question <= kReply; ++question) {
      if (!asks(matter.cases[i], scope_, question)) continue;
      if (!begun || scope_.apart) all.push_back({i, matter.context.copy(), {}, {}});
      begun = true;
      all.back().about.push_back(question);
      all.back().questions.push_back({text_of(matter.cases[i], matter, question), words(question).words(),
                                      habits_[question].mostly(), habits_[question].sure(matter.cases.size())});
    }
  }
  return all;
}

const empathy::Answers& Judge::words(size_t question) const {
  return question < kReply ? form_.verdicts().answers() : form_.preferences().answers();
}

std::string Judge::text_of(const JudgeInput& one, const Matter& matter, size_t question) const {
  if (question < kReply) return form_.about_step(question, *one.steps[question], matter.reading);
  return hearing_.swap ? form_.about_replies(one.reply, matter.reference, matter.reading)
                       : form_.about_replies(matter.reference, one.reply, matter.reading);
}

void Judge::take(Opinion& opinion, size_t question, const std::string& answer) const {
  if (question < kReply) {
    const auto verdict = form_.verdicts().parse(answer);
    habits_[question].note(verdict ? std::optional<size_t>(*verdict.value ? 0 : 1) : std::nullopt);
    if (!verdict)
      ++opinion.unreadable;
    else if (!opinion.steps[question])
      opinion.steps[question] = *verdict.value ? 1.0 : -1.0;
    return;
  }
  const auto read = form_.preferences().parse(answer);
  habits_[question].note(read ? std::optional(static_cast<size_t>(*read.value)) : std::nullopt);
  if (!read) {
    ++opinion.unreadable;
    return;
  }
  if (opinion.preference) return;
  opinion.preference = hearing_.swap ? empathy::swapped(*read.value) : *read.value;
  opinion.reply = value_of(*opinion.preference);
}

// P(good) - P(bad), the words' likelihoods made to add up to 1. A preference is the likeliest word of the likelier
// side: good and bad have two words each, and a side may win though the likeliest word of all is the other's.
void Judge::weigh(Opinion& opinion, size_t question, const std::vector<double>& log_probs) const {
  const auto preference = [&](size_t word) {
    const auto said = static_cast<empathy::Preference>(word);
    return hearing_.swap ? empathy::swapped(said) : said;
  };
  const auto value = [&](size_t word) {
    return question < kReply ? (word == 0 ? 1.0 : -1.0) : value_of(preference(word));
  };
  double sum = 0, difference = 0;
  for (size_t word = 0; word < log_probs.size(); ++word) {
    sum += std::exp(log_probs[word]);
    difference += value(word) * std::exp(log_probs[word]);
  }
  (question < kReply ? opinion.steps[question] : opinion.reply) = difference / sum;
  if (question < kReply) return;
  size_t likeliest = log_probs.size();
  for (size_t word = 0; word < log_probs.size(); ++word) {
    if ((value(word) > 0) != (difference > 0)) continue;
    if (likeliest == log_probs.size() || log_probs[word] > log_probs[likeliest]) likeliest = word;
  }
  opinion.preference = preference(likeliest);
}

}  // namespace compeer::judging
