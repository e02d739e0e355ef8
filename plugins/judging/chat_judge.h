#pragma once
#include <vector>

#include "compeer/chat.h"
#include "judging/judge.h"

namespace compeer::judging {

/// A judge behind a chat model. All that can be asked at once is: the first question about every completion, then the
/// second, which shows the verdict on the first. What a conversation shares with others stands first, in the same
/// bytes, so that an endpoint that keeps what it has read reads it once. Answers are read as of any chat model; one
/// that can't be is asked for once more. `ahead`: before all that, every question that may come is asked.
class ChatJudge : public Judge {
 public:
  ChatJudge(Chat& chat, Questions questions) : chat_(chat), questions_(std::move(questions)) {}

  std::vector<std::vector<Opinion>> judge(std::span<const JudgedGroup> groups) const override;

 private:
  struct Inquiry;
  std::vector<Inquiry> inquiries_into(std::span<const JudgedGroup> groups) const;
  void ask(std::vector<Inquiry*> open) const;
  void ask_ahead(const std::vector<Inquiry>& inquiries) const;
  void add_all(Inquiry inquiry, std::vector<ChatRequest>& requests) const;
  ChatRequest request(const Inquiry& inquiry, uint32_t attempt) const;
  bool take(Inquiry& inquiry, const ChatReply& reply) const;

  Chat& chat_;
  Questions questions_;
};

}  // namespace compeer::judging
