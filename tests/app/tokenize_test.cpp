#include "../program.h"

#include "places.h"

namespace compeer::app {
namespace {

const std::string esc_world = COMPEER_SOURCE_DIR "/plugins/datasets/esc_world/tokenizer";

class Tokenize : public Program {
 protected:
  // What comes out for these lines of standard input.
  std::string answer(const std::string& lines, const std::string& options = "", const std::string& model = esc_world) {
    write("lines.jsonl", lines);
    return told("tokenize --model " + model + " " + options + " <lines.jsonl");
  }
};

TEST_F(Tokenize, TurnsTextIntoIds) {
  EXPECT_EQ(answer("{\"text\": \"<|im_end|>\"}\n\n{\"text\": \"\"}\n", "--special"),
            "{\"ids\":[1017]}\n{\"ids\":[]}\nexit 0");
  EXPECT_EQ(answer("{\"text\": \"<|im_end|>\"}").find("1017"), std::string::npos);
}

TEST_F(Tokenize, WritesConversationsOut) {
  const auto said =
      answer(R"({"messages": [{"role": "user", "content": "hi<|im_end|>"}], "add_generation_prompt": true})");
  EXPECT_NE(said.find(R"("text":"<|im_start|>user\nhi<|im_end|><|im_end|>\n<|im_start|>assistant\n")"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("1017"), said.rfind("1017"));  // the template's end token, not the user's
  EXPECT_TRUE(said.starts_with("{\"ids\":[1016,")) << said;
}

TEST_F(Tokenize, TurnsIdsIntoText) {
  EXPECT_EQ(answer("{\"ids\": [1016, 64, 1017]}", "--decode"), "{\"text\":\"<|im_start|>a<|im_end|>\"}\nexit 0");
  EXPECT_EQ(answer("{\"ids\": [1016, 64, 1017]}", "--decode --skip-special"), "{\"text\":\"a\"}\nexit 0");
}

TEST_F(Tokenize, SaysOnceHowManyBytesVanish) {
  write("tokenizer.json", R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
                              "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}})");
  EXPECT_EQ(answer("{\"text\": \"abc\"}\n{\"text\": \"c\"}\n", "", "."),
            "compeer: note: 254 of the 256 bytes have no token and vanish\n{\"ids\":[0,1]}\n{\"ids\":[]}\nexit 0");
}

TEST_F(Tokenize, NamesTheLineThatIsWrong) {
  const auto wrong = [&](const std::string& line, const std::string& what, const std::string& options = "") {
    const auto said = answer("{\"text\": \"a\", \"ids\": [64]}\n" + line, options);
    EXPECT_NE(said.find("error: standard input, line 2: " + what), std::string::npos) << said;
    EXPECT_TRUE(said.ends_with("exit 4")) << said;
    EXPECT_NE(said.find(options.empty() ? "{\"ids\":[64]}" : "{\"text\":\"a\"}"), std::string::npos) << said;
  };
  wrong("{", "is not valid JSON");
  wrong("[]", "is not a JSON object");
  wrong("{\"text\": \"\xFF\"}", "is not UTF-8");
  wrong(std::string("{\"text\": \"a\"}\0 {}", 18), "is not valid JSON: it holds a zero byte");
  wrong("{\"ids\": [1]}", "has neither a text 'text' nor a list 'messages'");
  wrong("{\"messages\": {}}", "a conversation has a list 'messages'");
  wrong("{\"messages\": [{\"role\": \"user\"}]}",
        esc_world + "/tokenizer_config.json: chat_template, line 1: a dictionary's 'content' is undefined");
  for (const std::string id : {"1030", "-1", "4294967360", "1.5", "\"a\"", "1e99"})
    wrong("{\"ids\": [" + id + "]}", "no token has the id ", "--decode");
  wrong("{\"ids\": 5}", "has no list 'ids'", "--decode");
}

TEST_F(Tokenize, NamesWhatIsMissing) {
  EXPECT_EQ(answer("", "", "nowhere"),
            "compeer: error: nowhere: holds no tokenizer\n  help: expected tokenizer.json, or vocab.json and "
            "merges.txt\nexit 4");
  EXPECT_NE(told("tokenize").find("--model is required"), std::string::npos);
  EXPECT_NE(answer("", "--decode --special").find("exit 2"), std::string::npos);
}

}  // namespace
}  // namespace compeer::app
