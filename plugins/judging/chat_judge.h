#pragma once
#include <vector>

#include "compeer/chat.h"
#include "judging/judge.h"

namespace compeer::judging {

// A judge behind a chat plugin (an endpoint), for rewards and stages. A judge is a language model that is asked up to
// four questions about each completion: whether each of its three reasoning steps is right, and how its reply compares
// with a reference.

/// A judge behind a chat model. Sends requests in parallel: the first question about every completion, then the second
/// after the answer to the first, and so on. All conversations about a dialogue start with the same bytes, so that an
/// endpoint with prefix caching processes this prefix once. Answers are parsed leniently: they may contain more than
/// the answer's words. An answer that can't be parsed is requested once more. With `JudgeDecoding::speculate`, every
/// question that may come up is sent first. Keeps a reference to `chat`.
class ChatJudge : public Judge {
 public:
  ChatJudge(Chat& chat, Questions questions) : chat_(chat), questions_(std::move(questions)) {}

  /// Returns the verdicts, indexed [group][completion].
  std::vector<std::vector<Verdicts>> judge(std::span<const JudgedGroup> groups) const override;

 private:
  struct Inquiry;  // one conversation about one completion for one vote: its turns, remaining questions and verdicts
  // Returns all conversations before their first question, in the order of the completions.
  std::vector<Inquiry> inquiries_into(std::span<const JudgedGroup> groups) const;
  // Asks the next question in each of these unfinished conversations and records the answers. A conversation ends if
  // its question gets no answer that can be parsed.
  void ask(std::vector<Inquiry*> open) const;
  // Speculation: requests the answers to all questions that may come up. The host stores them, and `ask` gets them from
  // its store.
  void ask_ahead(const std::vector<Inquiry>& inquiries) const;
  // Adds requests for the next question and, recursively, for the later questions after each possible answer.
  void add_speculative_requests(Inquiry inquiry, std::vector<ChatRequest>& requests) const;
  // Returns the request for the next question. `attempt`: 0, or 1 if the first answer could not be parsed.
  ChatRequest request(const Inquiry& inquiry, uint32_t attempt) const;
  // Records the reply to the next question and advances to the following one. Returns false, without a change, if the
  // request failed or the answer could not be parsed, or if required log-probabilities are missing.
  bool record_reply(Inquiry& inquiry, const ChatReply& reply) const;

  Chat& chat_;
  Questions questions_;  // wording of the questions, their selection, and the number of votes
};

}  // namespace compeer::judging
