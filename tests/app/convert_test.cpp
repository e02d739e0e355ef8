#include "../program.h"

#include "places.h"

namespace compeer::app {
namespace {

const std::string gguf = COMPEER_SOURCE_DIR "/tests/golden/gguf/";

class ImportCommandLine : public Program {};

TEST_F(ImportCommandLine, WritesAFolderThatOtherCommandsRead) {
  EXPECT_EQ(told("import " + gguf + "model.gguf -o models/small"),
            "models/small\nllama model, 88384 parameters in float32, 416 tokens\nexit 0");
  write("lines.jsonl", "{\"text\": \"Hello world\"}\n");
  EXPECT_EQ(told("tokenize --model models/small <lines.jsonl"), "{\"ids\":[42,71,300,81,269,276,338]}\nexit 0");
}

TEST_F(ImportCommandLine, SaysWhatItWrote) {
  EXPECT_EQ(told("import " + gguf + "vocab_smollm.gguf -o v --json"),
            "{\"folder\":\"v\",\"model_type\":null,\"parameters\":0,\"dtype\":\"float32\",\"tokens\":416}\nexit 0");
  EXPECT_EQ(told("import " + gguf + "llama3_rope.gguf -o l --dtype bfloat16"),
            "l\nllama model, 118080 parameters in bfloat16, no tokenizer\nexit 0");
}

TEST_F(ImportCommandLine, SaysWhatIsWrong) {
  write("m.gguf", "GGUF");
  EXPECT_EQ(told("import m.gguf -o m"),
            "compeer: error: m.gguf: ends within the version: 4 bytes are required from byte 4 on, but only 0 remain\n"
            "  help: copy or download the file again: it may be incomplete\nexit 4");
  EXPECT_FALSE(fs::exists(folder() / "m"));
  EXPECT_EQ(told("import m.gguf -o ."),
            "compeer: error: .: already exists\n  help: name a new or an empty folder\nexit 2");
  EXPECT_EQ(first_line("import m.gguf"), "compeer: error: --out is required");
  EXPECT_TRUE(first_line("import m.gguf -o m --dtype float16").starts_with("compeer: error: --dtype:"));
}

}  // namespace
}  // namespace compeer::app
