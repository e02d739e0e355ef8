// Asks a judge on the program's own engine, with predictions of its answers so that fewer forward passes are needed.
#include "judging/model_judge.h"

#include <numeric>

namespace compeer::judging {

namespace {

constexpr int64_t longest_answer = 16;  // tokens

}  // namespace

// Measured: a forward pass costs about as much as ten tokens; a wrong prediction costs reading all later questions
// again. Conversations in one batch share passes, so a pass is saved only if all of their predictions are right.
bool AnswerPredictor::is_reliable(size_t many) const {
  const int64_t all = std::accumulate(counts_.begin(), counts_.end(), other_count_);
  return 10 * static_cast<int64_t>(many) * (all - counts_[most_frequent()]) <= all && all > 0;
}

// One conversation about one completion.
struct ModelJudge::Inquiry {
  size_t whose;
  std::unique_ptr<Conversation> conversation;
  std::vector<size_t> about;  // the questions to ask, 0 to 3
  std::vector<Question> questions;
};

std::vector<std::vector<Verdicts>> ModelJudge::judge(std::span<const JudgedGroup> groups) const {
  std::vector<std::vector<Verdicts>> all;
  for (const JudgedGroup& group : groups) all.push_back(judge(group));
  return all;
}

std::vector<Verdicts> ModelJudge::judge(const JudgedGroup& group) const {
  const auto context = language_model_.begin(questions_.form().context(group.history));
  if (questions_.votes() <= 1) return ask_once(group, *context, 0);
  std::vector<std::vector<Verdicts>> votes(group.completions.size());
  for (int vote = 0; vote < questions_.votes(); ++vote) {
    const auto heard = ask_once(group, *context, static_cast<uint32_t>(vote));
    for (size_t i = 0; i < votes.size(); ++i) votes[i].push_back(heard[i]);
  }
  std::vector<Verdicts> all;
  for (const auto& of_case : votes) all.push_back(Questions::majority(of_case));
  return all;
}

std::vector<Verdicts> ModelJudge::ask_once(const JudgedGroup& group, const Conversation& context,
                                           uint32_t sample_index) const {
  const auto& hearing = questions_.decoding();
  const SamplingParams sampling{hearing.votes > 1 ? hearing.temperature : 0.0, longest_answer, sample_index};
  const auto inquiries = inquiries_into(group, context);
  std::vector<Conversation*> conversations;
  std::vector<std::vector<Question>> questions;
  for (const Inquiry& inquiry : inquiries) {
    conversations.push_back(inquiry.conversation.get());
    questions.push_back(inquiry.questions);
  }
  std::vector<Verdicts> opinions(group.completions.size());
  if (conversations.empty()) return opinions;
  const auto answers = language_model_.ask(conversations, questions, sampling, hearing.by_likelihood);
  for (size_t i = 0; i < inquiries.size(); ++i) {
    Verdicts& opinion = opinions[inquiries[i].whose];
    for (size_t k = 0; k < answers[i].size(); ++k) {
      const size_t question = inquiries[i].about[k];
      if (hearing.by_likelihood) questions_.record_probabilities(opinion, question, answers[i][k].log_probs);
      const auto word = questions_.words(question).parse(answers[i][k].answer.text).value;
      predictors_[question].note(word);
      questions_.record_answer(opinion, question, word, answers[i][k].answer.text);
    }
  }
  return opinions;
}

std::vector<ModelJudge::Inquiry> ModelJudge::inquiries_into(const JudgedGroup& group,
                                                            const Conversation& context) const {
  std::vector<Inquiry> all;
  for (size_t i = 0; i < group.completions.size(); ++i) {
    bool begun = false;
    for (size_t question = 0; question < Questions::count; ++question) {
      if (!questions_.asks(group.completions[i], question)) continue;
      if (!begun || questions_.scope().separate) all.push_back({i, context.copy(), {}, {}});
      begun = true;
      all.back().about.push_back(question);
      all.back().questions.push_back({questions_.text(group, group.completions[i], question),
                                      questions_.words(question).answers(), predictors_[question].most_frequent(),
                                      predictors_[question].is_reliable(group.completions.size())});
    }
  }
  return all;
}

}  // namespace compeer::judging
