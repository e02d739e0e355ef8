#include <compeer/reward.h>

#include <regex>
#include <set>

#include "base/files.h"
#include "corpus.h"
#include "places.h"

namespace compeer {
namespace {

using nlohmann::json;

const json train = {{"valid", 0}, {"test", 0}};

class Prompts : public CorpusTest {
 protected:
  // Returns the only example of a file with one record.
  Example read(const std::string& record) {
    const auto examples = all("prompts", write("p.jsonl", record));
    EXPECT_EQ(examples.size(), 1u) << record;
    return examples.at(0);
  }

  // Returns the reason why a record, after a valid one, can't be read.
  std::string reason(const std::string& record) {
    auto dataset =
        open("prompts", write("p.jsonl", "{\"id\": 1, \"prompt\": \"a\"}\n" + record), {{"max_unreadable", 1}});
    const auto left_out = dataset.object().unreadable();
    if (left_out.size() != 1) return "read";
    EXPECT_EQ(left_out[0].file, (folder() / "p.jsonl").string());
    EXPECT_EQ(left_out[0].record, 2);
    return left_out[0].reason;
  }

  static std::set<std::string> ids(plugin::Plugin<Dataset>& dataset, const std::string& split) {
    std::set<std::string> found;
    for (const Example& one : all(dataset, {split})) found.insert(one.id);
    return found;
  }
  using Ids = std::set<std::string>;
};

TEST_F(Prompts, MayBeATextOrAConversation) {
  const std::string text = R"({"prompt": "hi"})",
                    talk =
                        R"({"messages": [{"role": "assistant", "content": "hello"}, {"role": "user", "content": "hi"},
                               {"role": "user", "content": "I am 悲"}]})";
  EXPECT_EQ(told(read(text)), "user: hi|");
  EXPECT_EQ(read(text).answer, "");
  EXPECT_EQ(read(text).record, (json{{"source", "prompts"}, {"meta", json::object()}}));
  EXPECT_EQ(told(read(std::regex_replace(talk, std::regex("\n"), ""))), "assistant: hello|user: hi|user: I am 悲|");

  const auto listed = all("prompts", write("list.json", "[" + text + ",\n" + talk + "]"), train);
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(told(listed[0]), "user: hi|");
  EXPECT_EQ(told(listed[1]), "assistant: hello|user: hi|user: I am 悲|");
}

TEST_F(Prompts, HaveTheReferenceInAKeyOrInTheLastMessage) {
  EXPECT_EQ(read(R"({"prompt": "hi", "reference": "hello"})").answer, "hello");
  const auto example =
      read(R"({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]})");
  EXPECT_EQ(told(example), "user: hi|");
  EXPECT_EQ(example.answer, "hello");
}

TEST_F(Prompts, BeginWithTheSystemMessage) {
  EXPECT_EQ(told(read(R"({"system": "be kind", "prompt": "hi"})")), "system: be kind|user: hi|");
  EXPECT_EQ(told(read(R"({"system": "be kind", "messages": [{"role": "user", "content": "hi"}]})")),
            "system: be kind|user: hi|");
  EXPECT_EQ(
      told(read(R"({"messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"}]})")),
      "system: be kind|user: hi|");
}

TEST_F(Prompts, KeepTheWhiteSpaceAroundTexts) {
  const auto example = read(R"({"prompt": "go on:\n", "reference": "  return 1"})");
  EXPECT_EQ(told(example), "user: go on:\n|");
  EXPECT_EQ(example.answer, "  return 1");
}

TEST_F(Prompts, TellTheirLanguageSplitAndMeta) {
  EXPECT_EQ(read(R"({"prompt": "hi", "language": "en", "split": "valid", "meta": {"n": 3, "x": {"y": null}}})").record,
            (json{{"source", "prompts"},
                  {"language", "en"},
                  {"split", "valid"},
                  {"meta", {{"n", 3}, {"x", {{"y", nullptr}}}}}}));
}

TEST_F(Prompts, LackWhatIsNull) {
  const auto example = read(
      R"({"id": null, "messages": null, "system": null, "prompt": "hi", "reference": null, "meta": null, "note": null})");
  EXPECT_EQ(example.id, "p/1");
  EXPECT_EQ(told(example), "user: hi|");
  EXPECT_EQ(example.record.at("meta"), json::object());
  EXPECT_EQ(told(read(R"({"messages": [{"role": "user", "content": "hi", "name": null}]})")), "user: hi|");
}

TEST_F(Prompts, AreNamedByTheirIdOrTheirPlace) {
  write("a.jsonl", "{\"prompt\": \"x\"}\n\n{\"prompt\": \"x\"}\n{\"id\": 7, \"prompt\": \"x\"}\n");
  write("a.json", R"([{"id": "seven", "prompt": "x"}, {"prompt": "x"}])");
  write("deep/b.json", R"([{"prompt": "x"}])");
  write("notes.txt", "not read");
  auto dataset = open("prompts", folder(), train);
  EXPECT_EQ(ids(dataset, "train"), (Ids{"a.jsonl/1", "a.jsonl/3", "7", "seven", "a.json/2", "deep/b/1"}));
}

TEST_F(Prompts, BelongToTheSplitOfTheirFile) {
  write("train.jsonl", "{\"prompt\": \"x\"}\n{\"prompt\": \"x\", \"split\": \"train\"}\n");
  write("val.json", R"([{"prompt": "x"}])");
  write("more.json", R"([{"prompt": "x"}])");
  auto dataset = open("prompts", folder());
  EXPECT_EQ(ids(dataset, "train"), (Ids{"train/1", "train/2"}));
  EXPECT_EQ(ids(dataset, "valid"), (Ids{"val/1"})) << "more.json is left out";
  EXPECT_EQ(dataset.object().size("test"), 0);
  EXPECT_EQ(dataset.object().size("dev"), 0);
  EXPECT_EQ(dataset.object().get("valid", 0).record.at("split"), "valid");

  auto other = open("prompts", write("test.jsonl", "{\"prompt\": \"x\"}\n{\"prompt\": \"x\", \"split\": \"train\"}\n"),
                    {{"max_unreadable", 1}});
  EXPECT_EQ(ids(other, "test"), (Ids{"test/1"}));
  EXPECT_EQ(other.object().unreadable().at(0).reason, "has the split 'train', but its file is named after 'test'");
}

TEST_F(Prompts, BelongToTheSplitTheySayOrElseToThatOfTheirId) {
  std::string named, others;
  for (int i = 0; i < 300; ++i) {
    const auto record = "{\"id\": " + std::to_string(i) + ", \"prompt\": \"x\"";
    named.append(record).append(", \"split\": \"valid\"}\n");
    others.append(record).append("}\n");
  }
  auto said = open("prompts", write("said.jsonl", named));
  EXPECT_EQ(said.object().size("valid"), 300);

  const json shares = {{"valid", 0.2}, {"test", 0.3}};
  auto divided = open("prompts", write("divided.jsonl", others), shares);
  EXPECT_FALSE(divided.object().get("train", 0).record.contains("split")) << "nobody said it";
  Ids seen;
  for (const auto& [split, share] : {std::pair{"train", 150}, {"valid", 60}, {"test", 90}}) {
    const auto here = ids(divided, split);
    EXPECT_NEAR(static_cast<int>(here.size()), share, 30) << split;
    seen.insert(here.begin(), here.end());
  }
  EXPECT_EQ(seen.size(), 300u);

  auto more = open("prompts", write("more.jsonl", "{\"id\": \"first\", \"prompt\": \"x\"}\n" + others), shares);
  for (const std::string split : {"train", "valid", "test"}) {
    auto here = ids(more, split);
    here.erase("first");
    EXPECT_EQ(here, ids(divided, split)) << "a record more moves no other";
  }
}

TEST_F(Prompts, SayWhyTheyCantBeRead) {
  const auto talk = [&](const std::string& messages, const std::string& rest = "") {
    return reason("{\"messages\": [" + messages + "]" + rest + "}");
  };
  const std::string system = R"({"role": "system", "content": "s"})", user = R"({"role": "user", "content": "u"})",
                    assistant = R"({"role": "assistant", "content": "a"})";
  const std::string no_end = "must end with a user message, or with a user message and the answer to it";

  EXPECT_EQ(reason("{\"id\": 2}"), "has neither 'prompt' nor 'messages'");
  EXPECT_EQ(talk(user, ", \"prompt\": \"x\""), "has both 'prompt' and 'messages': use one of them");
  EXPECT_EQ(talk(""), no_end);
  EXPECT_EQ(talk(system), no_end);
  EXPECT_EQ(talk(assistant), no_end);
  EXPECT_EQ(talk(user + "," + assistant + "," + assistant), no_end);
  EXPECT_EQ(talk(user + "," + assistant, ", \"reference\": \"r\""),
            "has both 'reference' and an assistant message at the end: use only one of them");
  EXPECT_EQ(talk(system + "," + user, ", \"system\": \"s\""),
            "has both 'system' and a system message: use only one of them");
  EXPECT_EQ(talk(user + "," + system), "message 2 is a system message: only the first message may be one");
  EXPECT_EQ(talk(R"({"role": "tool", "content": "x"})"),
            "message 1 has the unknown speaker 'tool', not one of system, user, assistant");
  EXPECT_EQ(talk(R"({"role": "user", "content": " \n"})"), "message 1 has an empty text 'content'");
  EXPECT_EQ(talk(R"({"role": "user", "content": [{"text": "x"}]})"), "message 1 has no text 'content'");
  EXPECT_EQ(talk(R"({"role": "user", "content": "x", "name": "Ann"})"),
            "message 1 has the unknown key 'name': put your own keys into 'meta'");
  EXPECT_EQ(talk("\"hi\""), "message 1 is not a JSON object");
  EXPECT_EQ(reason(R"({"messages": "hi"})"), "has no list 'messages'");

  EXPECT_EQ(reason(R"({"prompt": ""})"), "has an empty text 'prompt'");
  EXPECT_EQ(reason(R"({"prompt": ["hi"]})"), "has no text 'prompt'");
  EXPECT_EQ(reason(R"({"prompt": "x", "system": ""})"), "has an empty text 'system'");
  EXPECT_EQ(reason(R"({"prompt": "x", "reference": ""})"), "has an empty text 'reference'");
  EXPECT_EQ(reason(R"({"prompt": "x", "language": 3})"), "has no text 'language'");
  EXPECT_EQ(reason(R"({"prompt": "x", "meta": [1]})"), "has no object 'meta'");
  EXPECT_EQ(reason(R"({"prompt": "x", "split": "dev"})"), "has the split 'dev', not one of train, valid, test");
  EXPECT_EQ(reason(R"({"prompt": "x", "refrence": "y"})"),
            "has the unknown key 'refrence' (did you mean 'reference'?): put your own keys into 'meta'");
  EXPECT_EQ(reason(R"({"prompt": "x", "to\npic": 1})"),
            "has the unknown key 'to\\npic': put your own keys into 'meta'");
  EXPECT_EQ(reason(R"({"prompt": "x", "id": true})"), "has no text 'id'");
  EXPECT_EQ(reason(R"({"prompt": "x", "id": "1"})"), "has the same id '1' as record 1");
  EXPECT_EQ(reason("[\"hi\"]"), "is not a JSON object");
  EXPECT_EQ(reason("{\"prompt\": \"x"), "is incomplete: the file ends within it, as if cut off");
  EXPECT_EQ(reason("{\"prompt\": \"\xFF\"}"), "is not UTF-8 at byte 37 of the file");
}

TEST_F(Prompts, HaveIdsThatNoOtherFileHas) {
  const auto first = write("a.json", R"([{"id": "x", "prompt": "a"}])");
  write("b.json", R"([{"id": "x", "prompt": "a"}, {"prompt": "b"}])");
  auto dataset = open("prompts", folder(), {{"max_unreadable", 1}});
  ASSERT_EQ(dataset.object().unreadable().size(), 1u);
  EXPECT_EQ(dataset.object().unreadable()[0].reason, "has the same id 'x' as record 1 of " + first.string());
}

TEST_F(Prompts, AreRefusedIfTooManyCantBeRead) {
  const auto said = [&](const std::string& text, const json& settings = json::object()) {
    const auto whole = refused("prompts", write("p.jsonl", text), settings);
    const std::string begins =
        "datasets/prompts 1.0.0 (" COMPEER_BINARY_DIR "/plugins/datasets/prompts.so), in make(): ";
    EXPECT_TRUE(whole.starts_with(begins)) << whole;
    return whole.substr(begins.size());
  };
  const auto path = (folder() / "p.jsonl").string();
  EXPECT_EQ(said("{\"prompt\": \"a\"}\n{\"Prompt\": \"b\"}\n"),
            path + ": 1 of 2 records can't be read (50 %): " + path +
                ", record 2: has the unknown key 'Prompt' (did you mean 'prompt'?): put your own keys into 'meta'\n"
                "  help: 'max_unreadable' allows a share of 0.01 (exit 4)");
  EXPECT_EQ(said("{}\n"), path + ": 1 of 1 records can't be read (100 %): " + path +
                              ", record 1: has neither 'prompt' nor 'messages'\n"
                              "  help: use JSON lines or a JSON list of records with 'prompt' or 'messages' (exit 4)");
  EXPECT_EQ(said("[]"), path + ": contains no record (exit 4)");
  EXPECT_EQ(said("{\"prompt\": \"a\"}", {{"valid", 0.6}, {"test", 0.5}}),
            "prompts: 'valid' + 'test' must not exceed 1 (exit 3)");
}

TEST_F(Prompts, MayBeShareGpts) {
  const auto read = [&](const std::string& record) {
    const auto examples = all("prompts", write("p.jsonl", record), {{"format", "sharegpt"}});
    EXPECT_EQ(examples.size(), 1u) << record;
    return examples.at(0);
  };
  const auto example = read(
      R"({"id": "x_1", "source": "web", "conversations": [{"from": "system", "value": "be kind"},)"
      R"({"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}, {"from": "human", "value": "I am sad"},)"
      R"({"from": "gpt", "value": " tell me more"}]})");
  EXPECT_EQ(example.id, "x_1");
  EXPECT_EQ(told(example), "system: be kind|user: hi|assistant: hello|user: I am sad|");
  EXPECT_EQ(example.answer, " tell me more");
  EXPECT_EQ(example.record.at("meta"), (json{{"source", "web"}}));
  EXPECT_EQ(
      told(read(
          R"({"system": "", "conversations": [{"from": "system", "value": ""}, {"role": "user", "content": "hi"}]})")),
      "user: hi|");
  const auto reason = [&](const std::string& messages) {
    return refused("prompts", write("p.jsonl", "{\"conversations\": " + messages + "}"), {{"format", "sharegpt"}});
  };
  EXPECT_NE(reason(R"([{"from": "observation", "value": "x"}])")
                .find("message 1 has the unknown speaker 'observation', not one of"),
            std::string::npos);
  EXPECT_NE(reason(R"([{"from": "human"}])").find("message 1 has no text 'value'"), std::string::npos);
  EXPECT_NE(reason("\"hi\"").find("use JSON lines or a JSON list of records with 'conversations'"), std::string::npos);
}

TEST_F(Prompts, MayBeAlpacas) {
  const auto read = [&](const std::string& record) {
    const auto examples = all("prompts", write("p.json", "[" + record + "]"), {{"format", "alpaca"}});
    EXPECT_EQ(examples.size(), 1u) << record;
    return examples.at(0);
  };
  const auto example = read(R"({"instruction": "Reply.", "input": "I am sad.", "output": "I see.", "text": "all"})");
  EXPECT_EQ(told(example), "user: Reply.\nI am sad.|");
  EXPECT_EQ(example.answer, "I see.");
  EXPECT_EQ(example.record.at("meta"), (json{{"text", "all"}}));
  EXPECT_EQ(told(read(R"({"instruction": "Reply.", "input": ""})")), "user: Reply.|");
  EXPECT_EQ(told(read(R"({"system": "be kind", "history": [["hi", "hello"]], "instruction": "Reply."})")),
            "system: be kind|user: hi|assistant: hello|user: Reply.|");
  EXPECT_NE(
      refused("prompts", write("p.json", R"([{"instruction": "a", "history": [["hi"]]}])"), {{"format", "alpaca"}})
          .find("round 1 is not a pair of texts"),
      std::string::npos);
}

TEST_F(Prompts, SayHowRecordsOfAnotherLayoutAreRead) {
  const auto said = [&](const std::string& record) {
    const auto whole = refused("prompts", write("p.jsonl", record));
    return whole.substr(whole.find("record 1: "));
  };
  EXPECT_EQ(said(R"({"conversations": []})"),
            "record 1: is a ShareGPT record (key 'conversations')\n"
            "  help: set format = \"sharegpt\" in [dataset], or --set dataset.format=sharegpt (exit 4)");
  EXPECT_EQ(said(R"({"instruction": "a", "input": "", "output": "b"})"),
            "record 1: is an Alpaca record (key 'instruction')\n"
            "  help: set format = \"alpaca\" in [dataset], or --set dataset.format=alpaca (exit 4)");
  EXPECT_EQ(said(R"({"answer": "a", "question": "q"})"),
            "record 1: has 'question' in place of 'prompt' and 'answer' in place of 'reference'\n"
            "  help: rename the keys: jq -c '{prompt: .question, reference: .answer}' OLD.jsonl >NEW.jsonl (exit 4)");
  EXPECT_EQ(said(R"({"prompt": "q", "completion": "a"})"),
            "record 1: has 'completion' in place of 'reference'\n"
            "  help: rename the keys: jq -c '{prompt, reference: .completion}' OLD.jsonl >NEW.jsonl (exit 4)");
}

// The reward in docs/prompts.md, for the records that the page shows.
TEST_F(Prompts, ShowTheirMetaToARewardInLua) {
  const auto page = read_file(std::filesystem::path(COMPEER_SOURCE_DIR) / "docs/prompts.md");
  const auto block = [&](const std::string& kind, const std::string& begins) {
    const auto at = page.find("```" + kind + "\n" + begins);
    EXPECT_NE(at, page.npos) << begins;
    const auto from = page.find('\n', at) + 1;
    return page.substr(from, page.find("```", from) - from);
  };
  const auto examples = all("prompts", write("p.jsonl", block("json", "{\"prompt\"")), train);
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].record.at("meta"), (json{{"most", 12}}));

  auto reward = built::open<Reward>("lua", {{"script", block("lua", "-- rewards/brief.lua")}});
  const auto scored = [&](const Example& example) {
    const auto completions = built::completions({"any"}, 13);
    return built::values(plugin::score(reward, {example, completions}, plugin::columns(reward)));
  };
  EXPECT_EQ(scored(examples[0]), std::vector<double>{0}) << "13 tokens of at most 12";
  EXPECT_EQ(scored(examples[1]), std::vector<double>{1}) << "13 tokens of at most 100, as it has no limit of its own";
}

}  // namespace
}  // namespace compeer
