#include "plugin/chat_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "base/error.h"
#include "base/files.h"

namespace compeer::plugin {

namespace {

namespace fs = std::filesystem;

class ChatMemoryTest : public testing::Test {
 protected:
  ChatMemoryTest() {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  std::unique_ptr<ChatMemory> open(const std::string& own) {
    log_.clear();
    return std::make_unique<ChatMemory>(folder_, own, [this](const std::string& line) { log_ += line + "\n"; });
  }
  static ChatReply reply(const std::string& text) {
    return {.text = text, .finished = false, .failure = {}, .prompt_tokens = 12, .completion_tokens = 3};
  }
  static Error error_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return Error("", "");
  }

  fs::path folder_;
  std::string log_;
};

using ChatMemories = ChatMemoryTest;

TEST_F(ChatMemories, OutliveTheProcess) {
  {
    auto memory = open("rank-0");
    EXPECT_FALSE(memory->find("k").has_value());
    memory->keep("k", "chat/x 1.0.0, m", reply("line\n\u6211"));
    EXPECT_EQ(memory->find("k")->text, "line\n\u6211");
  }
  const auto memory = open("rank-0");
  EXPECT_EQ(log_, "");
  EXPECT_EQ(memory->find("k")->text, "line\n\u6211");
  EXPECT_FALSE(memory->find("k")->finished);
  EXPECT_EQ(memory->find("k")->prompt_tokens, 12);
  EXPECT_EQ(memory->find("k")->completion_tokens, 3);
}

TEST_F(ChatMemories, KnowWhatAllProcessesKept) {
  open("rank-0")->keep("a", "w", reply("0"));
  open("rank-1")->keep("b", "w", reply("1"));
  const auto memory = open("rank-0");  // this time it runs alone
  EXPECT_EQ(memory->find("a")->text, "0");
  EXPECT_EQ(memory->find("b")->text, "1");
  EXPECT_EQ(memory->size(), 2u);
}

TEST_F(ChatMemories, LeaveOutTheLineThatAKillCutWhereverThatWas) {
  open("rank-0")->keep("a", "w", reply("first"));
  const auto one = read_file(folder_ / "rank-0.jsonl");
  open("rank-0")->keep("b", "w", reply("second"));
  const auto two = read_file(folder_ / "rank-0.jsonl");
  for (size_t cut = one.size() + 1; cut < two.size(); ++cut) {
    std::ofstream(folder_ / "rank-0.jsonl", std::ios::trunc) << two.substr(0, cut);
    auto memory = open("rank-0");
    EXPECT_EQ(memory->size(), 1u) << cut;
    EXPECT_EQ(log_, (folder_ / "rank-0.jsonl").string() + ":2: this answer is cut off and left out, as after a kill\n");
    memory->keep("b", "w", reply("second"));
    EXPECT_EQ(read_file(folder_ / "rank-0.jsonl"), two) << cut;
  }
}

TEST_F(ChatMemories, LeaveOutADamagedLineAndKeepTheRest) {
  open("rank-1")->keep("a", "w", reply("first"));
  std::ofstream(folder_ / "rank-1.jsonl", std::ios::app) << "{\"key\": \"b\", \"text\": 5}\nnonsense\n";
  const auto before = read_file(folder_ / "rank-1.jsonl");
  open("rank-1")->keep("c", "w", reply("third"));
  EXPECT_TRUE(read_file(folder_ / "rank-1.jsonl").starts_with(before)) << "what is there is not touched";
  const auto memory = open("rank-0");
  EXPECT_EQ(memory->size(), 2u);
  EXPECT_NE(log_.find("rank-1.jsonl:2: this answer is damaged and left out"), std::string::npos) << log_;
  EXPECT_NE(log_.find("rank-1.jsonl:3: this answer is damaged and left out"), std::string::npos) << log_;
}

TEST_F(ChatMemories, BelieveNoNumberOfTokensThatCantBe) {
  open("rank-1")->keep("a", "w", reply("first"));
  auto line = read_file(folder_ / "rank-1.jsonl");
  for (const char* number : {"1e300", "0.5"}) {
    auto odd = line;
    odd.replace(odd.find(":12"), 3, std::string(":") + number);
    std::ofstream(folder_ / "rank-1.jsonl", std::ios::trunc) << odd;
    EXPECT_EQ(open("rank-0")->size(), 0u);
    EXPECT_NE(log_.find("rank-1.jsonl:1: this answer is damaged and left out"), std::string::npos) << log_;
  }
}

TEST_F(ChatMemories, AreAddedToByOneProcessOnly) {
  const auto memory = open("rank-0");
  EXPECT_EQ(error_of([&] { open("rank-0"); }).problem(), "another process is adding to it");
  open("rank-1");
}

TEST_F(ChatMemories, NameTheFileThatCantBeWrittenAndGoOnWhereTheyWere) {
  std::signal(SIGXFSZ, SIG_IGN);
  auto memory = open("rank-0");
  memory->keep("a", "w", reply("first"));
  const auto size = fs::file_size(folder_ / "rank-0.jsonl");
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit full{size + 10, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &full);
  const auto error = error_of([&] { memory->keep("b", "w", reply("second")); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(error.where(), (folder_ / "rank-0.jsonl").string());
  EXPECT_EQ(error.problem(), "an answer can't be written: File too large");
  EXPECT_EQ(error.exit(), Exit::failure);
  EXPECT_EQ(fs::file_size(folder_ / "rank-0.jsonl"), size) << "half a line was taken back";
  memory->keep("c", "w", reply("third"));
  memory.reset();
  memory = open("rank-0");
  EXPECT_EQ(log_, "");
  EXPECT_EQ(memory->size(), 2u);
}

TEST_F(ChatMemories, CantStandWhereAFileIs) {
  std::ofstream(folder_) << "x";
  EXPECT_EQ(error_of([&] { open("rank-0"); }).exit(), Exit::failure);
}

TEST_F(ChatMemories, ReturnWhatTheyWillFind) {
  auto memory = open("rank-0");
  EXPECT_EQ(memory->keep("k", "w", reply("a\xff")).text, "a\ufffd");
  EXPECT_EQ(memory->find("k")->text, "a\ufffd");
}

TEST(ChatMemoryKey, TellsEverythingApartThatMayChangeAnAnswer) {
  const ChatRequest base{.turns = {{"user", "a"}}, .temperature = 0.5, .max_tokens = 5, .draw = 1};
  std::vector<ChatRequest> others(7, base);
  others[0].turns[0].text = "b";
  others[1].turns[0].role = "system";
  others[2].turns = {{"user", "a"}, {"user", "a"}};
  others[3].temperature = 0.25;
  others[4].max_tokens = 6;
  others[5].draw = 2;
  others[6].turns = {{"user\",\"a", ""}};
  for (const auto& other : others) EXPECT_NE(ChatMemory::key("w", other), ChatMemory::key("w", base));
  EXPECT_NE(ChatMemory::key("v", base), ChatMemory::key("w", base));
  // printf '["w",[["user","a"]],0.5,5,1]' | sha256sum
  EXPECT_EQ(ChatMemory::key("w", base), "5306f31cda38956c1974adcd77c71bf7d3b5d4716c0d510483ba5cf546d41989")
      << "pinned: a change would make every run ask again";
}

}  // namespace

}  // namespace compeer::plugin
