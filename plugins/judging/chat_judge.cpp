// Runs conversations with a judge behind a chat model in parallel.
#include "judging/chat_judge.h"

#include <utility>

#include "empathy/reading.h"

namespace compeer::judging {

namespace {

constexpr uint32_t most_tries = 2;
constexpr int64_t longest_answer = 64;  // tokens; chat models write more than the answer

// Adds the opinion of another conversation about the same completion.
void add(const Verdicts& more, Verdicts& opinion) {
  for (size_t step = 0; step < more.steps.size(); ++step) {
    if (more.steps[step]) opinion.steps[step] = more.steps[step];
  }
  if (more.preference) opinion.preference = more.preference, opinion.reply = more.reply;
  opinion.count(more);
}

}  // namespace

// One conversation about one completion, for one vote.
struct ChatJudge::Inquiry {
  const JudgeInput* one;
  uint32_t vote;
  std::vector<Turn> turns;    // the conversation so far
  std::vector<size_t> about;  // the questions to ask, ascending
  std::vector<std::string> questions;
  size_t next = 0;  // index in `about` of the next question
  Verdicts opinion;
  bool open() const { return next < about.size(); }
};

std::vector<std::vector<Verdicts>> ChatJudge::judge(std::span<const JudgedGroup> groups) const {
  auto inquiries = inquiries_into(groups);
  if (questions_.decoding().speculate) ask_ahead(inquiries);
  for (;;) {
    std::vector<Inquiry*> open;
    for (Inquiry& inquiry : inquiries) {
      if (inquiry.open()) open.push_back(&inquiry);
    }
    if (open.empty()) break;
    ask(std::move(open));
  }
  std::vector<std::vector<Verdicts>> all;
  auto inquiry = inquiries.begin();
  for (const JudgedGroup& group : groups) {
    auto& opinions = all.emplace_back();
    for (const JudgeInput& one : group.completions) {
      std::vector<Verdicts> votes(static_cast<size_t>(questions_.votes()));
      for (; inquiry != inquiries.end() && inquiry->one == &one; ++inquiry) add(inquiry->opinion, votes[inquiry->vote]);
      opinions.push_back(votes.size() > 1 ? Questions::majority(votes) : votes.front());
    }
  }
  return all;
}

std::vector<ChatJudge::Inquiry> ChatJudge::inquiries_into(std::span<const JudgedGroup> groups) const {
  std::vector<Inquiry> all;
  for (const JudgedGroup& group : groups) {
    const auto context = questions_.form().context(group.history);
    for (const JudgeInput& one : group.completions) {
      for (uint32_t vote = 0; vote < static_cast<uint32_t>(questions_.votes()); ++vote) {
        bool begun = false;
        for (size_t question = 0; question < Questions::count; ++question) {
          if (!questions_.asks(one, question)) continue;
          if (!begun || questions_.scope().separate) all.push_back({&one, vote, context, {}, {}, 0, {}});
          begun = true;
          all.back().about.push_back(question);
          all.back().questions.push_back(questions_.text(group, one, question));
        }
      }
    }
  }
  return all;
}

// Sends every question that may come up. The host stores the answers, so `ask` gets them without another request.
void ChatJudge::ask_ahead(const std::vector<Inquiry>& inquiries) const {
  std::vector<ChatRequest> requests;
  for (const Inquiry& inquiry : inquiries) add_speculative_requests(inquiry, requests);
  chat_.answer(requests, [](size_t, const ChatReply&) {});
}

// Adds the request for the next question, and recursively those for the questions after each possible answer.
void ChatJudge::add_speculative_requests(Inquiry inquiry, std::vector<ChatRequest>& requests) const {
  inquiry.turns.push_back({"user", inquiry.questions[inquiry.next]});
  requests.push_back(request(inquiry, 0));
  const auto& words = questions_.words(inquiry.about[inquiry.next]);
  if (++inquiry.next == inquiry.about.size()) return;
  inquiry.turns.emplace_back();
  for (const auto& word : words.answers()) {
    inquiry.turns.back() = {"assistant", word};
    add_speculative_requests(inquiry, requests);
  }
}

// Asks the next question of every conversation. A conversation without a readable answer ends, because the later
// questions depend on the verdict.
void ChatJudge::ask(std::vector<Inquiry*> open) const {
  for (Inquiry* inquiry : open) inquiry->turns.push_back({"user", inquiry->questions[inquiry->next]});
  for (uint32_t attempt = 0; attempt < most_tries && !open.empty(); ++attempt) {
    std::vector<ChatRequest> requests;
    for (const Inquiry* inquiry : open) requests.push_back(request(*inquiry, attempt));
    std::vector<ChatReply> replies(requests.size());
    chat_.answer(requests, [&](size_t i, ChatReply reply) { replies[i] = std::move(reply); });
    std::vector<Inquiry*> again;
    for (size_t i = 0; i < open.size(); ++i) {
      if (record_reply(*open[i], replies[i])) continue;
      const bool last = attempt + 1 == most_tries || !replies[i].failure.empty();
      const bool answered = replies[i].failure.empty();
      if (answered) chat_.unreadable(requests[i], replies[i].text, !last);
      if (!last) {
        again.push_back(open[i]);
        continue;
      }
      if (answered)
        questions_.record_answer(open[i]->opinion, open[i]->about[open[i]->next], std::nullopt, replies[i].text);
      open[i]->next = open[i]->about.size();
    }
    open = std::move(again);
  }
}

ChatRequest ChatJudge::request(const Inquiry& inquiry, uint32_t attempt) const {
  const auto& hearing = questions_.decoding();
  ChatRequest request{.turns = inquiry.turns, .temperature = hearing.votes > 1 ? hearing.temperature : 0.0};
  request.max_tokens = longest_answer;
  request.sample_index = inquiry.vote * most_tries + attempt;
  request.choices = questions_.words(inquiry.about[inquiry.next]).answers();
  request.want_log_probs = hearing.by_likelihood;
  return request;
}

bool ChatJudge::record_reply(Inquiry& inquiry, const ChatReply& reply) const {
  const size_t question = inquiry.about[inquiry.next];
  const auto& words = questions_.words(question);
  const auto word = reply.failure.empty() ? empathy::read(words, reply.text).value : std::nullopt;
  if (!word || (questions_.decoding().by_likelihood && reply.log_probs.empty())) return false;
  if (!reply.log_probs.empty()) questions_.record_probabilities(inquiry.opinion, question, reply.log_probs);
  questions_.record_answer(inquiry.opinion, question, word, reply.text);
  inquiry.turns.push_back({"assistant", words.print(*word)});
  ++inquiry.next;
  return true;
}

}  // namespace compeer::judging
