// The commands compeer generate and compeer score.
#include "inference/generate_and_score.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "../program.h"
#include "../seeing_model.h"
#include "../tiny_model.h"
#include "base/files.h"
#include "places.h"

namespace compeer::app {
namespace {

using nlohmann::json;

const std::string golden = COMPEER_SOURCE_DIR "/tests/golden/text_tied";  // no tokenizer, so ids only

class ModelCommands : public Program {
 protected:
  // Returns the JSON lines that a command prints; it must exit with 0.
  std::vector<json> answers(const std::string& arguments) {
    auto text = told(arguments);
    EXPECT_TRUE(text.ends_with("exit 0")) << text;
    std::vector<json> lines;
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
      lines.push_back(json::parse(text.substr(0, end)));
    return lines;
  }

  // Returns the error of a command for invalid input.
  std::string refused(const std::string& command, const std::string& input) {
    write("bad.jsonl", input);
    return told(command + " --model " + golden + " --max-new 2 < bad.jsonl");
  }
  std::string refused_score(const std::string& input) {
    write("bad.jsonl", input);
    return told("score --model " + golden + " < bad.jsonl");
  }

  std::string tiny() {
    make_tiny_model(folder() / "tiny", 256);
    return (folder() / "tiny").string();
  }

  // Writes prompts of many lengths.
  void write_prompts(int count, int vocabulary) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
      json ids = json::array();
      for (int j = 0; j <= (i * 7) % 45; ++j) ids.push_back((i * 31 + j * 17) % vocabulary);
      lines += json{{"ids", ids}}.dump() + "\n";
    }
    write("prompts.jsonl", lines);
  }
};

// An adapter's folder is opened with its base model; expected are the results of peft and transformers.
TEST_F(ModelCommands, GenerateWithAnAdapter) {
  const std::string lora = COMPEER_SOURCE_DIR "/tests/golden/lora";
  const auto greedy = json::parse(read_file(lora + "/golden.json")).at("cases").at("all").at("greedy");
  std::string lines;
  for (const json& ids : greedy.at("prompts")) lines += json{{"ids", ids}}.dump() + "\n";
  write("prompts.jsonl", lines);
  const auto model = lora + "/adapter_all --greedy --ignore-end --max-new " + greedy.at("new_tokens").dump();
  const auto found = answers("generate --model " + model + " < prompts.jsonl");
  ASSERT_EQ(found.size(), greedy.at("tokens").size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].at("ids"), greedy.at("tokens")[i]);
  const auto merged = told("export --model " + lora + "/adapter_all --merge -o merged");
  EXPECT_TRUE(merged.ends_with("exit 0")) << merged;
  const auto again = answers("generate --model merged --greedy --ignore-end --max-new " +
                             greedy.at("new_tokens").dump() + " < prompts.jsonl");
  for (size_t i = 0; i < again.size(); ++i) EXPECT_EQ(again[i].at("ids"), greedy.at("tokens")[i]);
  EXPECT_EQ(told("export --model " + lora + "/adapter_all -o other"),
            "compeer: error: " + lora + "/adapter_all: is an adapter folder, which peft reads without an export\n" +
                "  help: pass --merge to add the adapter to the weights of its base model\nexit 2");
}

TEST_F(ModelCommands, GenerateTheTokensThatTransformersDoes) {
  const auto reference = json::parse(std::ifstream(golden + "/golden.json")).at("greedy");
  std::string lines;
  for (const auto& ids : reference.at("prompts")) lines += json{{"ids", ids}}.dump() + "\n";
  write("prompts.jsonl", lines);
  const auto found =
      answers("generate --model " + golden + " --greedy --ignore-end --max-new 32 --batch 2 < prompts.jsonl");
  ASSERT_EQ(found.size(), reference.at("tokens").size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].at("ids"), reference.at("tokens")[i]);
    EXPECT_FALSE(found[i].contains("text"));
    for (size_t t = 0; t < 32; ++t)
      EXPECT_NEAR(found[i].at("logprobs")[t].get<double>(), reference.at("logprobs")[i][t].get<double>(), 1e-5);
  }
}

TEST_F(ModelCommands, GiveTheSameBitsWhateverTheBatch) {
  write_prompts(40, 512);
  for (const std::string options :
       {"", " --samples 3 --seed 9", " --top-p 0.8 --repetition-penalty 1.2 --temperature 0.7"}) {
    const auto command = "generate --model " + golden + " --max-new 12" + options + " < prompts.jsonl --batch ";
    const auto one = told(command + "1");
    EXPECT_TRUE(one.ends_with("exit 0")) << one;
    for (const std::string batch : {"7", "32"}) EXPECT_EQ(told(command + batch + " --threads 2"), one) << options;
  }
}

TEST_F(ModelCommands, ScoreWhatTheyGeneratedWithTheSameBits) {
  write_prompts(40, 512);
  const auto generated = told("generate --model " + golden + " --max-new 20 --batch 16 < prompts.jsonl > new.jsonl");
  EXPECT_EQ(generated, "exit 0");
  std::ifstream prompts(folder() / "prompts.jsonl"), news(folder() / "new.jsonl");
  std::string prompt, completion, texts;
  std::vector<json> expected;
  std::vector<size_t> lengths;
  while (std::getline(prompts, prompt) && std::getline(news, completion)) {
    auto ids = json::parse(prompt).at("ids");
    lengths.push_back(ids.size());
    const auto more = json::parse(completion);
    ids.insert(ids.end(), more.at("ids").begin(), more.at("ids").end());
    texts += json{{"ids", ids}}.dump() + "\n";
    expected.push_back(more.at("logprobs"));
  }
  ASSERT_EQ(expected.size(), 40u);
  write("texts.jsonl", texts);
  for (const std::string batch : {"1", "7", "32"}) {
    const auto scores = answers("score --model " + golden + " --batch " + batch + " < texts.jsonl");
    ASSERT_EQ(scores.size(), 40u);
    for (size_t i = 0; i < scores.size(); ++i) {
      const auto& all = scores[i].at("logprobs");
      EXPECT_EQ(json(std::vector<json>(all.begin() + static_cast<int64_t>(lengths[i]) - 1, all.end())), expected[i])
          << i;
    }
  }
}

// Prompts with images, for a vision model.
class PromptsWithPictures : public ModelCommands {
 protected:
  PromptsWithPictures() { make_seeing_model(folder() / "seeing"); }

  static json conversation(const json& part) {
    return {{"messages", {{{"role", "user"}, {"content", {part, {{"type", "text"}, {"text", "Look."}}}}}}}};
  }
  static json image(const std::string& file) { return {{"type", "image"}, {"image", file}}; }
  static json video(const json& frames) { return {{"type", "video"}, {"video", frames}}; }
  // Returns the error for this line, which follows a valid line.
  std::string refused(const json& line, const std::string& model = "seeing") {
    write("bad.jsonl", R"({"ids": [5, 6]})"
                       "\n" +
                           line.dump() + "\n");
    const auto text = told("generate --model " + model + " --max-new 2 < bad.jsonl");
    return text.substr(text.find('\n') + 1);
  }
};

TEST_F(PromptsWithPictures, MessagesShowThemAsListsBesideIdsDo) {
  json ids = {{"ids", {70, 71, 72}}, {"images", {seen_picture(0)}}};
  for (int i = 0; i < 6; ++i) ids["ids"].push_back(260);
  write("in.jsonl", conversation(image(seen_picture(0))).dump() + "\n" + conversation(image(seen_picture(2))).dump() +
                        "\n" + conversation({{"type", "image"}, {"path", seen_picture(0)}}).dump() + "\n" +
                        conversation(video({seen_picture(0)})).dump() + "\n" + ids.dump() + "\n");
  const auto found = answers("generate --model seeing --max-new 6 --ignore-end --greedy < in.jsonl");
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[2], found[0]) << "the same picture";
  EXPECT_NE(found[1].at("logprobs"), found[0].at("logprobs")) << "another picture of as many tokens";
  for (const json& line : found) EXPECT_EQ(line.at("ids").size(), 6u);
  EXPECT_EQ(told("generate --model seeing --max-new 6 --batch 1 --samples 3 --threads 1 < in.jsonl"),
            told("generate --model seeing --max-new 6 --batch 4 --samples 3 --threads 2 < in.jsonl"));
}

TEST_F(PromptsWithPictures, WhatCanNotBeShownIsNamedWithItsLine) {
  EXPECT_EQ(refused(conversation(image("none.png"))),
            "compeer: error: line 2: none.png: can't be read: No such file or directory\nexit 4");
  write("broken.png", "\x89PNG no more");
  EXPECT_EQ(refused(conversation(image("broken.png"))).find("compeer: error: line 2: broken.png: "), 0u);
  EXPECT_EQ(refused(conversation({{"type", "image"}})),
            "compeer: error: line 2: a part of type image has no file name\n"
            "  help: for example {\"type\": \"image\", \"image\": \"cat.png\"}\nexit 4");
  EXPECT_EQ(refused(conversation(image("https://example.org/cat.png"))),
            "compeer: error: line 2: 'https://example.org/cat.png' is not a file name\n"
            "  help: pass a file name; URLs and data URIs are not supported\nexit 4");
  EXPECT_EQ(refused(conversation(image(seen_picture(0))), tiny()),
            "compeer: error: line 2: shows " + seen_picture(0) +
                ", but the model does not support pictures\n"
                "  help: use one that does (qwen2_5_vl), or leave the pictures out\nexit 4");
}

TEST_F(PromptsWithPictures, AStillPictureIsNoVideo) {
  const auto of_six = [](int placeholder) {
    json ids = {1};
    for (int i = 0; i < 6; ++i) ids.push_back(placeholder);
    return ids;
  };
  const auto still = refused({{"ids", of_six(261)}, {"images", {seen_picture(0)}}});
  EXPECT_EQ(still.find("compeer: error: line 2: "), 0u) << still;
  EXPECT_NE(still.find("picture 1 is a still picture, but has placeholders of a video\n"
                       "  help: show it as an image ({\"type\": \"image\"}), or as a video of one frame: a list of one "
                       "file\nexit 4"),
            std::string::npos)
      << still;
  const auto video =
      refused({{"ids", of_six(260)}, {"images", json::array({json::array({seen_picture(0), seen_picture(0)})})}});
  EXPECT_NE(video.find("picture 1 is a video, but has placeholders of a still picture\n"
                       "  help: show it as a video ({\"type\": \"video\"}), or one frame of it: a file's name instead "
                       "of a list\nexit 4"),
            std::string::npos)
      << video;
  EXPECT_EQ(refused(conversation({{"type", "image"}, {"image", {seen_picture(0)}}})),
            "compeer: error: line 2: a part of type image contains a list\n"
            "  help: use a part of type video for the frames of a video\nexit 4");
}

TEST_F(ModelCommands, SayWhichLineOfTheInputIsWrong) {
  const std::string good = "{\"ids\": [5, 6]}\n";
  const auto deep = std::string(100000, '[') + std::string(100000, ']');
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{\"ids\": [5, 512]}", "token id 512 is outside the vocabulary of 512"},
      {"{\"ids\": [5, -1]}", "token id -1 is outside the vocabulary of 512"},
      {"{\"ids\": [5, 4294967296]}", "\"ids\" contains 4294967296, which is not a token id"},
      {"{\"ids\": [1.5]}", "\"ids\" contains 1.5, which is not a token id"},
      {"{\"ids\": 7}", "\"ids\" is not a list"},
      {"{\"ids\": []}", "is empty"},
      {"{\"ids\": [1, 2}", "is not valid JSON: parse error at line 1, column "},
      {"{\"text\": \"a\xff\"}", "is not UTF-8"},
      {"[1, 2]", "is not a JSON object"},
      {"{\"ids\": [\"" + std::string(100000, 'a') + "\"]}", "\"ids\" contains \"" + std::string(59, 'a') + ", which"},
      {"{\"ids\": [1], \"ids\": [2]}", "has the key 'ids' twice"},
      {"{\"ids\": [1]}" + std::string(1, '\0') + "{}", "is not valid JSON: it contains a zero byte"},
      {"{\"ids\": " + deep + "}", "nests more than 64 levels"},
      {"{\"messages\": [{\"content\": " + deep + "}]}", "nests more than 64 levels"},
      {"{\"ids\": [1], \"images\": " + deep + "}", "nests more than 64 levels"},
      {"{\"id\": [1]}", "has none of ids, text and messages\n  help: did you mean 'ids'?"},
      {"{\"text\": \"hello\"}", "has no tokenizer"},
  };
  for (const auto& [line, what] : cases) {
    for (const auto& told :
         {refused("generate", good + "\n" + line + "\n" + good), refused_score(good + "\n" + line)}) {
      const auto where = what == "has no tokenizer" ? golden : "line 3";
      const auto message = "compeer: error: " + where + ": " + what;
      EXPECT_TRUE(told.starts_with("{\"")) << told;  // line 1 was answered completely
      EXPECT_TRUE(told.substr(told.find('\n') + 1).starts_with(message)) << told << "\nexpected " << message;
      EXPECT_TRUE(told.ends_with("exit 4")) << told;
    }
  }
}

TEST_F(ModelCommands, RefuseOptionsThatDoNotGoTogether) {
  const auto answer = [&](const std::string& options) { return told("score --model " + golden + " " + options); };
  EXPECT_EQ(answer("--compute bfloat16 --dtype q8_0"),
            "compeer: error: --compute bfloat16: can't be combined with --dtype q8_0\n"
            "  help: use --dtype bfloat16: q8_0 and q4_0 are multiplied in float32 only\nexit 2");
  EXPECT_EQ(answer("--device cuda --engine exact"),
            "compeer: error: --device cuda: can't be combined with --engine exact\n"
            "  help: omit --engine: the exact engine computes on the CPU only\nexit 2");
  EXPECT_EQ(answer("--device cuda --dtype q8_0"),
            "compeer: error: --dtype q8_0: can't be combined with --device cuda\n"
            "  help: use --dtype bfloat16: q8_0 and q4_0 are supported on the CPU only\nexit 2");
  EXPECT_TRUE(answer("--device auto --dtype q8_0 </dev/null").ends_with("exit 0"));
  EXPECT_EQ(answer("--dtype q4_0 --engine libtorch"),
            "compeer: error: --dtype q4_0: can't be combined with --engine libtorch\n"
            "  help: use --engine exact\nexit 2");
}

TEST_F(ModelCommands, RefuseATextThatLeavesNoRoom) {
  const std::string longest = json{{"ids", std::vector<int>(512, 3)}}.dump() + "\n";
  EXPECT_NE(refused("generate", longest).find("line 1: has 512 tokens and needs one more, the model has room for 512"),
            std::string::npos);
  EXPECT_TRUE(refused_score(longest).ends_with("exit 0"));
  EXPECT_NE(refused_score(json{{"ids", std::vector<int>(513, 3)}}.dump()).find("line 1: has 513 tokens"),
            std::string::npos);
}

TEST_F(ModelCommands, ScoreATextOfOneTokenWithNothing) {
  write("one.jsonl", "{\"ids\": [5]}");
  EXPECT_EQ(told("score --model " + golden + " < one.jsonl"), "{\"logprobs\":[]}\nexit 0");
}

TEST_F(ModelCommands, AnswerNothingWithNothing) {
  EXPECT_EQ(told("generate --model " + golden + " < /dev/null"), "exit 0");
  EXPECT_EQ(told("score --model " + golden + " < /dev/null"), "exit 0");
}

TEST_F(ModelCommands, EndAtTheTokensThatTheModelsFolderNames) {
  fs::copy(golden, folder() / "ends");
  write_prompts(30, 512);
  const auto last = [&](const std::string& options) {
    std::set<int> ids;
    for (const auto& line : answers("generate --model ends --max-new 64 < prompts.jsonl" + options)) {
      const auto tokens = line.at("ids").get<std::vector<int>>();
      if (tokens.size() < 64) ids.insert(tokens.back());
    }
    return ids;
  };
  EXPECT_TRUE(last(" --ignore-end").empty());
  write("ends/generation_config.json", "{\"eos_token_id\": [17, 18, 19, 20, 21, 22, 23, 24]}");
  const auto several = last("");
  EXPECT_GT(several.size(), 1u);
  EXPECT_GE(*several.begin(), 17);
  EXPECT_LE(*several.rbegin(), 24);
  write("ends/generation_config.json", "{\"eos_token_id\": \"no\"}");
  EXPECT_EQ(told("generate --model ends < prompts.jsonl"),
            "compeer: error: ends/generation_config.json: eos_token_id is \"no\", not a token id or a list\nexit 4");
}

TEST_F(ModelCommands, UnderstandTextAndMessages) {
  const auto model = tiny();
  write("in.jsonl",
        "{\"text\": \"I feel alone.\"}\n"
        "{\"messages\": [{\"role\": \"user\", \"content\": \"I feel alone.\"}]}\n");
  const auto generated = answers("generate --model " + model + " --max-new 8 < in.jsonl");
  ASSERT_EQ(generated.size(), 2u);
  for (const auto& line : generated) EXPECT_TRUE(line.at("text").is_string());
  const auto scored = answers("score --model " + model + " < in.jsonl");
  for (const auto& line : scored) EXPECT_EQ(line.at("ids").size(), line.at("logprobs").size() + 1);
  EXPECT_LT(scored[0].at("ids").size(), scored[1].at("ids").size());
}

TEST_F(ModelCommands, TakeSpecialTokensInATextForTextUnlessAsked) {
  const auto model = tiny();
  write("in.jsonl",
        "{\"text\": \"So<|im_end|>\"}\n{\"messages\": [{\"role\": \"user\", \"content\": \"So<|im_end|>\"}]}\n");
  const auto plain = answers("score --model " + model + " < in.jsonl");
  const auto special = answers("score --special --model " + model + " < in.jsonl");
  for (size_t i = 0; i < 2; ++i) EXPECT_GT(plain[i].at("ids").size(), special[i].at("ids").size() + 3) << i;
}

TEST_F(ModelCommands, StopWhereTheTextContainsAStopString) {
  const auto model = tiny();
  write("in.jsonl", "{\"text\": \"I feel alone.\"}\n");
  const auto command = "generate --model " + model + " --max-new 60 --ignore-end < in.jsonl";
  const auto whole = answers(command)[0];
  const auto text = whole.at("text").get<std::string>();
  ASSERT_GT(text.size(), 20u);
  std::string stop = text.substr(10, 4);
  for (size_t at; (at = stop.find('\'')) != std::string::npos;) stop[at] = '?';
  write("stop.txt", stop);
  const auto cut = answers("generate --model " + model +
                           " --max-new 60 --ignore-end --stop never --stop \"$(cat stop.txt)\" < in.jsonl")[0];
  EXPECT_EQ(cut.at("text"), text.substr(0, text.find(stop)));
  const auto ids = cut.at("ids").get<std::vector<int>>(), all = whole.at("ids").get<std::vector<int>>();
  EXPECT_LT(ids.size(), all.size());
  EXPECT_TRUE(std::equal(ids.begin(), ids.end(), all.begin()));
}

TEST_F(ModelCommands, AnswerAPromptBeforeTheNextIsAsked) {
  const std::string compeer = COMPEER_BINARY_DIR "/bin/compeer";
  const auto text =
      told("--version > /dev/null; mkfifo in out; " + compeer + " generate --max-new 2 --model " + golden +
           " < in > out & exec 3> in 4< out; echo '{\"ids\": [1]}' >&3; read a <&4; echo \"$a\"; "
           "echo '{\"ids\": [2]}' >&3; read b <&4; echo \"$b\"; exec 3>&-; wait");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  EXPECT_TRUE(text.ends_with("]}\nexit 0")) << text;
}

TEST_F(ModelCommands, NameAModelFolderTheyCantUse) {
  const auto told_of = [&](const std::string& config) {
    fs::create_directories(folder() / "odd");
    write("odd/config.json", config);
    return told("score --model odd < /dev/null");
  };
  EXPECT_EQ(told_of(R"({"model_type": "qwen4"})"),
            "compeer: error: odd/config.json: no plugin reads models of type 'qwen4'\n"
            "  help: did you mean 'qwen2'? known: llama, mistral, qwen2, qwen2_5_vl, qwen3\nexit 4");
  EXPECT_EQ(told_of(R"({"model_type": 2})"),
            "compeer: error: odd/config.json: contains no model_type\n"
            "  help: a model folder has the layout that transformers writes\nexit 4");
  EXPECT_TRUE(told_of(R"({"model_type": )").starts_with("compeer: error: odd/config.json: is not valid JSON: parse "));
}

TEST_F(ModelCommands, CheckTheirOptionsFirst) {
  EXPECT_TRUE(told("generate --model nowhere").starts_with("compeer: error: nowhere: does not exist\n"));
  EXPECT_EQ(told("score --model ."),
            "compeer: error: .: has no config.json\n  help: a model folder has the layout of Hugging Face "
            "transformers: config.json and *.safetensors\nexit 4");
  for (const std::string wrong :
       {"--temperature 0", "--top-p 0", "--top-p 1.1", "--min-p 2", "--min-p nan", "--top-k -1", "--batch 0",
        "--max-new 0", "--max-new 99999999999999999999", "--seed -1", "--seed 99999999999999999999", "--threads 0",
        "--threads 100000", "--dtype int8", "--engine fast", "--stop ''", "--repetition-penalty 0"}) {
    const auto text = told("generate --model " + golden + " " + wrong + " < /dev/null");
    EXPECT_TRUE(text.ends_with("exit 2")) << wrong << ": " << text;
  }
}

}  // namespace
}  // namespace compeer::app
