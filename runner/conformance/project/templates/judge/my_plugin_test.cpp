#include <compeer/chat.h>
#include <compeer/reward.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

#include <cmath>

namespace {

// A judge with predefined answers that records its requests.
struct Judge : compeer::Chat {
  void answer(const std::vector<compeer::ChatRequest>& requests, const OnReply& arrived) override {
    for (size_t i = 0; i < requests.size(); ++i) {
      asked.push_back(requests[i].turns.back().text);
      arrived(i, replies.at(i));
    }
  }
  std::string model() const override { return "written down"; }
  void unreadable(const compeer::ChatRequest&, const std::string& answer, bool) override { unread.push_back(answer); }

  std::vector<compeer::ChatReply> replies;
  std::vector<std::string> asked, unread;
};

compeer::ChatReply says(const std::string& text) {
  compeer::ChatReply reply;
  reply.text = text;
  return reply;
}

compeer::ChatReply fails(const std::string& why) {
  compeer::ChatReply reply;
  reply.failure = why;
  return reply;
}

class MyPluginTest : public testing::Test {
 protected:
  // Returns the scores of as many completions as the judge has replies.
  std::vector<double> scores(std::vector<compeer::ChatReply> replies) {
    judge.replies = std::move(replies);
    host.chats = &judge;
    const auto plugin = compeer::open_library<compeer::Reward>(
        PLUGIN_FILE, {{"judge", {{"plugin", "written down"}}}, {"question", "Is it kind?"}}, host);
    compeer::Example example;
    example.history = {{"user", "I am sad."}};
    const std::vector<std::string> texts(judge.replies.size(), "Oh no.");
    return compeer::scores_of(*plugin, texts, example).at("reward");
  }

  compeer::TestHost host;
  Judge judge;
};

TEST_F(MyPluginTest, GivesOneForYesAndZeroForNo) {
  EXPECT_EQ(scores({says("Yes, it is."), says("no")}), (std::vector<double>{1, 0}));
}

TEST_F(MyPluginTest, HasNoOpinionWhereTheJudgeHasNone) {
  const auto found = scores({says("Perhaps."), fails("the endpoint is gone"), says("yes")});
  EXPECT_TRUE(std::isnan(found[0]) && std::isnan(found[1]));
  EXPECT_EQ(found[2], 1);
  EXPECT_EQ(judge.unread, std::vector<std::string>{"Perhaps."}) << "a failure is no answer";
}

TEST_F(MyPluginTest, ShowsTheJudgeWhatWasSaidTheReplyAndTheQuestion) {
  scores({says("yes")});
  EXPECT_EQ(judge.asked, std::vector<std::string>{"user: I am sad.\nreply: Oh no.\n\nIs it kind? Answer yes or no."});
}

}  // namespace
