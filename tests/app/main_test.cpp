#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "../program.h"
#include "base/files.h"
#include "places.h"
#include "spec/spec.h"

namespace compeer::app {
namespace {

TEST_F(Program, TellsMistakesOnTheCommandLineWithExit2) {
  EXPECT_TRUE(
      told("reslove x.toml").starts_with("compeer: error: unknown command 'reslove'\n  help: did you mean 'resolve'?"));
  for (const std::string arguments : {"reslove x.toml", "resolve", "resolve --jsn x", "resolve x --set lr",
                                      "resolve x --json --toml", "", "--json"}) {
    EXPECT_TRUE(told(arguments).ends_with("exit 2")) << arguments;
  }
}

TEST_F(Program, RefusesPluginFoldersThatAreNotThere) {
  EXPECT_EQ(told("plugins list --plugin-dir nowhere"),
            "compeer: error: --plugin-dir: Directory does not exist: nowhere\n"
            "  help: see compeer plugins list --help\nexit 2");
}

TEST_F(Program, AnswersVersionAndHelp) {
  EXPECT_EQ(told("--version").substr(0, 8), "compeer ");
  EXPECT_EQ(nlohmann::json::parse(told("--version --json").substr(0, told("--version --json").find("exit"))).at("name"),
            "compeer");
  const auto help = told("--help");
  for (const std::string command : {"run", "resolve", "resume", "log", "report", "plugins", "doctor", "bench"}) {
    EXPECT_NE(help.find("\n  " + command + " "), std::string::npos) << command;
    EXPECT_TRUE(told(command + " --help").ends_with("exit 0")) << command;
  }
  EXPECT_NE(help.find("85 preempted"), std::string::npos);
}

TEST_F(Program, SaysSoWhenItsOutputIsLost) {
  EXPECT_EQ(told("resolve " + smoke + " > /dev/full"), "compeer: error: standard output can't be written\nexit 1");
  EXPECT_EQ(told("resolve " + smoke + " | true"), "exit 0") << "a reader that goes away is no error";
}

TEST_F(Program, LinksNeitherLibtorchNorMpi) {
  const auto libraries = told("--version; ldd " COMPEER_BINARY_DIR "/bin/compeer");
  EXPECT_NE(libraries.find("libstdc++"), std::string::npos) << libraries;
  for (const std::string other : {"torch", "libc10", "libmpi"})
    EXPECT_EQ(libraries.find(other), std::string::npos) << libraries;
}

// compeer about: facts of tests/golden/llama and of an adapter, counted by hand from the files' headers.

using nlohmann::json;

const std::string golden = COMPEER_SOURCE_DIR "/tests/golden";

class About : public Program {
 protected:
  json facts(const std::string& folder) {
    const auto text = told("about " + folder + " --json");
    return json::parse(text.substr(0, text.find('\n')));
  }
};

// 2 layers, 2 key heads of 24: 2 * 4 bytes * 2 * 2 * 24 for the keys and values of a token.
TEST_F(About, CountsParametersAndBytes) {
  const auto found = facts(golden + "/llama");
  EXPECT_EQ(found.at("model_type"), "llama");
  EXPECT_EQ(found.at("parameters"), 118080);
  EXPECT_EQ(found.at("types"), json({"F32"}));
  EXPECT_EQ(found.at("head_dim"), 24);
  EXPECT_EQ(found.at("context"), 512);
  const json& memory = found.at("memory");
  EXPECT_EQ(memory.at("serve"), 0.15e9 + 471040);
  EXPECT_EQ(memory.at("token_of_context"), 768);
  EXPECT_EQ(memory.at("train_whole"), 0.15e9 + 28 * 118080);
  EXPECT_EQ(memory.at("adapter_parameters"), 37376);
  EXPECT_EQ(memory.at("train_adapter"), 0.15e9 + 471040 + 28 * 37376);
  EXPECT_EQ(memory.at("token_of_training"), 8192);
}

TEST_F(About, NamesAnAdaptersBase) {
  const auto found = facts(golden + "/lora/adapter_all");
  EXPECT_EQ(found.at("adapter").at("rank"), 4);
  EXPECT_EQ(found.at("adapter").at("parameters"), 6528);
  EXPECT_EQ(found.at("base"), golden + "/lora/base");
  EXPECT_EQ(found.at("model_type"), "qwen2");
}

TEST_F(About, ReadsWell) {
  const auto text = told("about " + golden + "/lora/adapter_rslora");
  EXPECT_NE(text.find("adapter     rank 3, alpha 6 (rslora), 0.0 million parameters, for q_proj, v_proj\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\ntokenizer   none: "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("exit 0")) << text;
}

TEST_F(About, RefusesAFolderThatHoldsNoModel) {
  EXPECT_EQ(told("about " + folder().string()), "compeer: error: " + folder().string() +
                                                    ": has no config.json\n  help: a model folder has the layout of "
                                                    "Hugging Face transformers: config.json and *.safetensors\nexit 4");
  write("m.gguf", "GGUF....");
  EXPECT_EQ(told("about " + folder().string()),
            "compeer: error: " + folder().string() +
                ": has no config.json\n  help: import its GGUF file: compeer import " + (folder() / "m.gguf").string() +
                " -o models/m\nexit 4");
  EXPECT_EQ(told("about m.gguf"),
            "compeer: error: m.gguf: is a GGUF file, not a model folder\n"
            "  help: import it: compeer import m.gguf -o models/m\nexit 4");
  EXPECT_EQ(told("about " + golden + "/llama/config.json"), "compeer: error: " + golden +
                                                                "/llama/config.json: is a file, not a model folder\n"
                                                                "  help: pass the folder that contains config.json: " +
                                                                golden + "/llama\nexit 4");
  write("config.json", "{}");
  EXPECT_EQ(told("about config.json"),
            "compeer: error: config.json: is a file, not a model folder\n"
            "  help: pass the folder that contains config.json: .\nexit 4");
  std::filesystem::create_directory_symlink("around", folder() / "around");
  EXPECT_EQ(told("about around"), "compeer: error: around: can't be read: Too many levels of symbolic links\nexit 4");
  EXPECT_EQ(told("about Qwen/Qwen2.5-0.5B-Instruct"),
            "compeer: error: Qwen/Qwen2.5-0.5B-Instruct: does not exist\n"
            "  help: to use the Hugging Face Hub's model: hf download Qwen/Qwen2.5-0.5B-Instruct --local-dir "
            "models/Qwen2.5-0.5B-Instruct, then pass models/Qwen2.5-0.5B-Instruct\nexit 4");
}

TEST_F(Program, ResolvesEveryExperimentThatComesWithIt) {
  for (const auto& entry : fs::directory_iterator(COMPEER_SOURCE_DIR "/experiments")) {
    if (entry.is_directory()) continue;  // folders need models and corpora: see tests/scripts
    const auto text = told("resolve " + entry.path().string());
    EXPECT_NE(text.find("# sha256 "), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("exit 0")) << text;
  }
}

TEST_F(Program, ResolvesTheExampleOfTheDocs) {
  const auto docs = read_file(COMPEER_SOURCE_DIR "/docs/specs.md");
  const auto begin = docs.find("```toml\n") + 8;
  write("docs.toml", docs.substr(begin, docs.find("```", begin) - begin));
  EXPECT_TRUE(told("resolve docs.toml").ends_with("exit 0"));
}

TEST_F(Program, PrintsSettings) {
  EXPECT_EQ(told("settings checkpoint.keep"),
            "keep  an integer of at least 1; default 2\n"
            "      number of newest checkpoints to keep\nexit 0");
  EXPECT_EQ(told("settings record"),
            "[record]  what is recorded\n"
            "  rollouts  true or false; default true\n"
            "            record every token of every completion\nexit 0");
  EXPECT_EQ(told("settings seed"),
            "seed  an integer of at least 0; default 1\n"
            "      seed of all random numbers\nexit 0");
  const auto all = told("settings");
  for (const char* part : {"name  a string; required\n", "\n[[rewards]]  ", "\n[grpo]  ", "\n  clip_low   "})
    EXPECT_NE(all.find(part), std::string::npos) << part;
}

TEST_F(Program, NamesTheNearestSetting) {
  EXPECT_EQ(told("settings grpo.clipp").substr(0, 77),
            "compeer: error: grpo.clipp: no such setting\n  help: did you mean 'grpo.clip'?");
  EXPECT_EQ(told("settings checkpoints").substr(0, 79),
            "compeer: error: checkpoints: no such setting\n  help: did you mean 'checkpoint'?");
  EXPECT_TRUE(told("settings clip")
                  .starts_with("compeer: error: clip: no such setting\n  help: did you mean "
                               "'grpo.clip'? known: grpo.clip, grpo.clip_low, grpo.clip_high, "));
  EXPECT_TRUE(told("settings clip").ends_with(" more: compeer settings\nexit 2"));
}

TEST_F(Program, FindsItsOwnExperimentsFromAnyFolder) {
  EXPECT_EQ(first_line("resolve experiments/smoke_grpo.toml").substr(0, 9), "# sha256 ");
}

TEST_F(Program, PrintsTomlAndJsonOfTheSameHash) {
  const auto hash = first_line("resolve " + smoke);
  told("resolve " + smoke + " > a.toml");
  told("resolve " + smoke + " --json > a.json");
  EXPECT_EQ(first_line("resolve a.toml"), hash);
  EXPECT_EQ(first_line("resolve a.json"), hash);
  EXPECT_EQ("# sha256 " + nlohmann::json::parse(read_file(folder() / "a.json")).at("sha256").get<std::string>(), hash);
  EXPECT_NE(first_line("resolve a.json --set seed=2"), hash);
}

TEST_F(Program, ShowsDifferencesWithOrigins) {
  told("resolve " + smoke + " --json > a.json");
  EXPECT_EQ(told("resolve a.json --set seed=2 --diff a.json"), "seed: 2 (--set) -> 1 (" + smoke + ":5)\nexit 0");
  EXPECT_EQ(told("resolve a.json --diff a.json --json"), "[]\nexit 0");
}

TEST_F(Program, ReadsNoSpecFromAPipe) {
  ASSERT_EQ(::mkfifo((folder() / "spec.json").c_str(), 0600), 0);
  for (const char* command : {"resolve .", "run . --dry-run", "submit . --dry-run"})
    EXPECT_NE(told(command).find("spec.json: is a pipe or a device, not a file"), std::string::npos) << command;
}

TEST_F(Program, ResolvesWhatAScriptWouldLaunch) {
  write("x.lua",
        "local compeer = require \"compeer\"\n"
        "local base = compeer.load \"experiments/smoke_grpo.toml\"\n"
        "print \"planning\"\n"
        "for _, clip in ipairs { 0.1, 0.3 } do\n"
        "  base:with { name = \"clip-\" .. clip, grpo = { clip = clip } }:launch()\n"
        "end\n");
  EXPECT_EQ(told("resolve x.lua --json > x.json"), "planning\nexit 0") << "what it prints is no data";
  const auto specs = nlohmann::json::parse(read_file(folder() / "x.json"));
  ASSERT_EQ(specs.size(), 2u);
  EXPECT_EQ(specs[1].at("spec").at("name"), "clip-0.3");
  EXPECT_EQ(specs[1].at("origins").at("grpo.clip"), "x.lua:5");
  EXPECT_EQ(specs[1].at("sources").size(), 2u);
  EXPECT_TRUE(told("resolve x.lua --set grpo.lr=1 --diff x.json").ends_with("exit 2"));
}

TEST_F(Program, TellsMistakesInASpecWithExit3) {
  write("x.toml",
        "name = \"x\"\ntask = \"grpo\"\n[dataset]\nplugin = \"esc_wrld\"\n[[rewards]]\nplugin = "
        "\"format\"\n[grpo]\nsetps = 8\n");
  const auto text = told("resolve x.toml --set grpo.lr=fast");
  EXPECT_NE(text.find("compeer: error: --set: 'grpo.lr' must be a number above 0, not the string \"fast\"\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nx.toml:4: no dataset plugin 'esc_wrld'\n  help: did you mean 'esc_world'?"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n  searched:\n    "), std::string::npos) << text;
  EXPECT_NE(text.find("/datasets\n  use --plugin-dir DIR to search DIR first"), std::string::npos) << text;
  EXPECT_NE(text.find("\nx.toml:8: unknown key 'grpo.setps'\n  help: did you mean 'steps'?"), std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("exit 3")) << text;
  EXPECT_EQ(told("resolve y.toml"),
            "compeer: error: y.toml: does not exist\n  help: did you mean 'x.toml'? known: x.toml\nexit 3");
  EXPECT_EQ(told("run quickstart.lua"),
            "compeer: error: quickstart.lua: does not exist\n  help: did you mean 'scripts/quickstart.lua'?\nexit 3");
  const auto resumed = told("resume nowhere");
  EXPECT_TRUE(
      resumed.starts_with("compeer: error: nowhere: no such run: neither nowhere nor results/nowhere is a folder in /"))
      << resumed;
  EXPECT_TRUE(resumed.ends_with("\n  help: if its results are elsewhere, name its folder: PATH/nowhere\nexit 4"))
      << resumed;
  write("spec.json", "{}");
  EXPECT_TRUE(told("resolve .").ends_with("exit 3"));
  write("x.yaml", "name: x\n");
  EXPECT_EQ(told("run x.yaml"),
            "compeer: error: x.yaml: is YAML; experiments are TOML files\n"
            "  help: start from one: compeer resolve experiments/smoke_grpo.toml >mine.toml; compeer run mine.toml\n"
            "exit 2");
  write("x.txt", "name = 'x'\n");
  EXPECT_EQ(told("run x.txt"),
            "compeer: error: x.txt: must be a .toml or .lua file\n"
            "  help: start from one: compeer resolve experiments/smoke_grpo.toml >mine.toml; compeer run mine.toml\n"
            "exit 2");
  EXPECT_EQ(told("run train.py"),
            "compeer: error: train.py: is Python; scripts are written in Lua\n"
            "  help: start from one: cp scripts/quickstart.lua mine.lua; compeer run mine.lua (docs/lua.md)\nexit 2");
  EXPECT_EQ(told("data stats records.jsonl"),
            "compeer: error: records.jsonl: contains records; experiments are TOML files\n"
            "  help: set dataset.plugin and dataset.path of an experiment to use data (docs/corpora.md)\nexit 2");
}

const std::string esc_world = COMPEER_SOURCE_DIR "/plugins/datasets/esc_world/tokenizer";

class Tokenize : public Program {
 protected:
  // Returns the output for these lines on standard input.
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
  EXPECT_EQ(said.find("1017"), said.rfind("1017"));  // only the template's end token, not the one in the user's text
  EXPECT_TRUE(said.starts_with("{\"ids\":[1016,")) << said;
}

TEST_F(Tokenize, TurnsIdsIntoText) {
  EXPECT_EQ(answer("{\"ids\": [1016, 64, 1017]}", "--decode"), "{\"text\":\"<|im_start|>a<|im_end|>\"}\nexit 0");
  EXPECT_EQ(answer("{\"ids\": [1016, 64, 1017]}", "--decode --skip-special"), "{\"text\":\"a\"}\nexit 0");
}

TEST_F(Tokenize, SaysOnceHowManyBytesVanish) {
  write("tokenizer.json", R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
                              "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}})");
  EXPECT_EQ(
      answer("{\"text\": \"abc\"}\n{\"text\": \"c\"}\n", "", "."),
      "compeer: note: 254 of the 256 byte values have no token and are dropped\n{\"ids\":[0,1]}\n{\"ids\":[]}\nexit 0");
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
  wrong(std::string("{\"text\": \"a\"}\0 {}", 18), "is not valid JSON: it contains a zero byte");
  wrong("{\"ids\": [1]}", "has neither a text 'text' nor a list 'messages'");
  wrong("{\"messages\": {}}", "a conversation must have a list 'messages'");
  wrong("{\"messages\": [{\"role\": \"user\"}]}",
        esc_world + "/tokenizer_config.json: chat_template, line 1: a dictionary's 'content' is undefined");
  for (const std::string id : {"1030", "-1", "4294967360", "1.5", "\"a\"", "1e99"})
    wrong("{\"ids\": [" + id + "]}", "no token has the id ", "--decode");
  wrong("{\"ids\": 5}", "has no list 'ids'", "--decode");
}

TEST_F(Tokenize, NamesWhatIsMissing) {
  EXPECT_EQ(answer("", "", "nowhere"),
            "compeer: error: nowhere: contains no tokenizer\n  help: add tokenizer.json, or vocab.json and "
            "merges.txt\nexit 4");
  EXPECT_NE(told("tokenize").find("--model is required"), std::string::npos);
  EXPECT_NE(answer("", "--decode --special").find("exit 2"), std::string::npos);
}

}  // namespace
}  // namespace compeer::app
