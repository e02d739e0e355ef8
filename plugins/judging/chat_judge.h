#pragma once
#include <vector>

#include "compeer/chat.h"
#include "judging/judge.h"

namespace compeer::judging {

/// A judge behind a chat model. Sends requests in parallel: the first question about every completion, then the second
/// after the verdict on the first, and so on. Conversations start with their common prefix, byte for byte, so that an
/// endpoint with prefix caching processes it once. Answers are parsed leniently (empathy/reading.h); an unreadable one
/// is requested once more. With `speculate`, every question that may come up is sent first. Keeps a reference to
/// `chat`.
class ChatJudge : public Judge {
 public:
  ChatJudge(Chat& chat, Questions questions) : chat_(chat), questions_(std::move(questions)) {}

  std::vector<std::vector<Verdicts>> judge(std::span<const JudgedGroup> groups) const override;

 private:
  struct Inquiry;
  std::vector<Inquiry> inquiries_into(std::span<const JudgedGroup> groups) const;
  void ask(std::vector<Inquiry*> open) const;
  void ask_ahead(const std::vector<Inquiry>& inquiries) const;
  void add_all(Inquiry inquiry, std::vector<ChatRequest>& requests) const;
  ChatRequest request(const Inquiry& inquiry, uint32_t attempt) const;
  bool record_reply(Inquiry& inquiry, const ChatReply& reply) const;

  Chat& chat_;
  Questions questions_;
};

}  // namespace compeer::judging
