#include "spec/schema.h"

#include <gtest/gtest.h>

#include "fake_catalog.h"
#include "spec/conflicts.h"
#include "spec/core_schema.h"
#include "spec/spec.h"

namespace compeer::spec {
namespace {

Schema schema(const std::string& text) { return parse_schema(nlohmann::ordered_json::parse(text), "length.so"); }
std::string refused(const std::string& text) {
  return complaint([&] { schema(text); });
}

TEST(ParseSchema, ReadsEveryKeyInTheOrderOfTheText) {
  const auto made =
      schema(R"({"target": {"type": "integer", "default": 400, "min": 1, "max": 999, "help": "characters"},
                               "alpha": {"type": "number", "above": 0, "below": 1}})");
  ASSERT_EQ(names(made), (std::vector<std::string>{"target", "alpha"}));
  EXPECT_EQ(made[0].type, Type::integer);
  EXPECT_EQ(made[0].default_value, json(400));
  EXPECT_EQ(made[0].help, "characters");
  EXPECT_EQ(describe(made[1]), "a number above 0 and below 1");
  EXPECT_FALSE(made[1].default_value);
}

TEST(ParseSchema, ReadsTablesWithinTables) {
  const auto made =
      schema(R"({"config": {"type": "table", "default": null, "parameters": {"size": {"type": "integer"}}}})");
  EXPECT_TRUE(made[0].default_value->is_null());
  EXPECT_EQ(names(made[0].fields), (std::vector<std::string>{"size"}));
}

TEST(ParseSchema, SaysWhatAListMayHold) {
  const auto made = schema(R"({"tones": {"type": "list", "items": "string", "choices": ["warm", "calm"], "min": 1}})");
  EXPECT_EQ(describe(made[0]), "a list of one or more strings out of warm, calm");
}

TEST(ParseSchema, BringsADefaultIntoItsType) {
  EXPECT_EQ(schema(R"({"a": {"type": "number", "default": 1}})")[0].default_value->dump(), "1.0");
}

TEST(ParseSchema, RefusesNamesThatNoPathCanHold) {
  for (const char* name : {"a.b", "", "a b", "a=", "\u00e4"})
    EXPECT_EQ(refused("{\"" + std::string(name) + "\": {\"type\": \"number\"}}"),
              "length.so|parameter '" + std::string(name) +
                  "' has a name with characters other than letters, digits, '_' and '-'||5");
  EXPECT_NE(refused(R"({"in": {"type": "table", "parameters": {"a.b": {"type": "number"}}}})"), "");
  EXPECT_EQ(refused(R"({"A_1-b": {"type": "number"}})"), "");
}

TEST(ParseSchema, RefusesLimitsThatLeaveNothing) {
  const auto limits = [](const std::string& text) { return refused(R"({"a": {"type": "number", )" + text + "}}"); };
  const auto wrong = "length.so|parameter 'a' has limits that allow no value|set the minimum below the maximum|5";
  EXPECT_EQ(limits(R"("min": 9, "max": 1)"), wrong);
  EXPECT_EQ(limits(R"("above": 1, "max": 1)"), wrong);
  EXPECT_EQ(limits(R"("min": 1, "below": 1)"), wrong);
  EXPECT_EQ(limits(R"("min": 1, "max": 1)"), "");
}

TEST(ParseSchema, RefusesWhatItDoesNotKnowAsThePluginsFault) {
  EXPECT_EQ(
      refused(R"({"a": {"type": "nubmer"}})"),
      "length.so|parameter 'a' has an unknown type 'nubmer'|did you mean 'number'? known: integer, number, boolean, "
      "string, path, list, table, plugin|5");
  EXPECT_EQ(
      refused(R"({"a": {"type": "number", "defualt": 1}})"),
      "length.so|parameter 'a' has an unknown key 'defualt'|did you mean 'default'? known: type, default, min, max, "
      "above, below, choices, help, items, parameters, open, contents_of, run_folder, kind|5");
  EXPECT_EQ(refused(R"({"a": {"default": 1}})"),
            "length.so|parameter 'a' has no \"type\"|one of integer, number, boolean, string, path, list, table, "
            "plugin|5");
  EXPECT_EQ(refused("[]"), "length.so|\"parameters\" must be a table||5");
}

TEST(ParseSchema, ReadsPluginsWithTheirKind) {
  const std::string text = R"({"similarity": {"type": "plugin", "kind": "similarity", "default": "ngrams"}})";
  EXPECT_EQ(describe(schema(text)[0]), "a similarity plugin (its name, or a table with its settings)");
  EXPECT_EQ(schema_json(schema(text)).dump(),
            R"({"similarity":{"type":"plugin","kind":"similarity","default":"ngrams"}})");
  EXPECT_EQ(refused(R"({"a": {"type": "plugin"}})"),
            "length.so|parameter 'a' has no \"kind\"|write \"type\": \"plugin\", \"kind\": \"similarity\"|5");
  EXPECT_EQ(refused(R"({"a": {"type": "plugin", "kind": "rewards", "default": {"plugin": "b"}}})"),
            "length.so|parameter 'a' has a default that is not the name of a plugin||5");
  EXPECT_EQ(refused(R"({"a": {"type": "list", "items": "plugin"}})"),
            "length.so|parameter 'a' can't be a list of plugins||5");
}

TEST(ParseSchema, RefusesADefaultThatBreaksItsOwnRules) {
  EXPECT_EQ(refused(R"({"a": {"type": "table", "parameters": {"b": {"type": "integer", "default": 0, "min": 1}}}})"),
            "length.so|parameter 'a.b' has a default that must be an integer of at least 1, not 0||5");
}

TEST(SchemaJson, ReadsBackAsTheSameSchema) {
  const auto text = R"({"files":{"type":"list","items":"path","min":1.0,"help":"what to read"},)"
                    R"("mode":{"type":"string","default":"paper","choices":["paper","signed"]}})";
  EXPECT_EQ(schema_json(schema(text)).dump(), text);
}

TEST(CoreSchema, HasDefaultsThatKeepItsOwnRules) {
  for (const auto& section : core_schema()) {
    const auto& [name, fields] = std::tie(section.parameter.name, section.parameter.fields);
    EXPECT_EQ(complaint([&fields = fields] { parse_schema(schema_json(fields)); }), "") << name;
    for (const auto& field : fields) EXPECT_FALSE(field.help.empty()) << name << '.' << field.name;
  }
}

std::string clashes_of(const std::string& text, const FakeCatalog& catalog = FakeCatalog()) {
  return complaint([&] { resolve(parse_toml(text, "x.toml"), catalog); });
}

TEST(Conflicts, PartsOfAGroupNeedAnEngineThatCan) {
  FakeCatalog catalog;
  catalog.add("models", "two",
              R"({"engine": {"type": "string", "default": "exact", "choices": ["exact", "libtorch"]}})");
  const auto text = smallest("micro_tokens = 9\n[model]\nplugin = \"two\"\nengine = \"libtorch\"\n");
  EXPECT_EQ(clashes_of(text, catalog),
            "x.toml:8|'grpo.micro_tokens' = 9 requires model.engine = \"exact\"|omit it: the libtorch engine "
            "backpropagates whole groups|3");
}

// The defaults are 8 and 16.
TEST(Conflicts, BatchesDontPartNeighbours) {
  const auto told = [](const std::string& settings) {
    return clashes_of(
        "name = \"x\"\ntask = \"sft\"\n[model]\nplugin = \"qwen2\"\n[dataset]\nplugin = \"esc_world\"\n"
        "[sft]\n" +
        settings);
  };
  EXPECT_EQ(told("neighbours = 4"), "");
  EXPECT_EQ(told("neighbours = 3\nbatch = 48\ntogether = 12"), "");
  EXPECT_EQ(
      told("neighbours = 3\nbatch = 48"),
      "x.toml:8|'sft.neighbours' = 3, but 'sft.micro_batch' = 8 would separate them|set sft.micro_batch to a multiple, "
      "such as 9|3");
  EXPECT_EQ(
      told("neighbours = 3\ntogether = 12"),
      "x.toml:8|'sft.neighbours' = 3, but 'sft.batch' = 16 would separate them|set sft.batch to a multiple, such as "
      "18|3");
}

TEST(Conflicts, KernelsOfTheCpuDontComputeOnAGpu) {
  FakeCatalog catalog;
  catalog.add("models", "two",
              R"({"engine": {"type": "string", "default": "exact", "choices": ["exact", "libtorch"]},
                  "device": {"type": "string", "default": "cpu", "choices": ["cpu", "cuda", "auto"]}})");
  EXPECT_EQ(clashes_of(smallest("[model]\nplugin = \"two\"\ndevice = \"cuda\"\n"), catalog),
            "x.toml:10|'model.device' = \"cuda\", but the kernels of model.engine = \"exact\" compute on the CPU|set "
            "model.engine to 'libtorch'; its log-probs agree with the trainer's to rounding only|3");
  EXPECT_EQ(clashes_of(smallest("[model]\nplugin = \"two\"\ndevice = \"auto\"\n"), catalog), "");
}

// The same check as when the model is opened.
TEST(Conflicts, WeightsAreKeptAsTheyCanBeComputedWith) {
  FakeCatalog catalog;
  catalog.add("models", "two",
              R"({"path": {"type": "path", "default": null},
                  "adapter": {"type": "table", "default": null, "parameters": {"rank": {"type": "integer"}}},
                  "frozen": {"type": "boolean", "default": false},
                  "precision": {"type": "string", "default": "float32"},
                  "compute": {"type": "string", "default": "float32"},
                  "engine": {"type": "string", "default": "exact"}})");
  const auto told = [&](const std::string& settings) {
    return clashes_of(smallest("[model]\nplugin = \"two\"\n" + settings), catalog);
  };
  const std::string adapter = "adapter = { rank = 2 }\n", blocks = "precision = \"q8_0\"\n";
  EXPECT_EQ(told(blocks),
            "x.toml:10|'model.precision' = \"q8_0\", but weights that train are float32 or bfloat16|train an adapter "
            "of this model (model.adapter), or set precision to float32 or bfloat16|3");
  EXPECT_EQ(told("precision = \"stored\"\n"),
            "x.toml:10|'model.precision' = \"stored\", but weights that train are float32 or bfloat16|set model.frozen "
            "= true, or set precision to float32 or bfloat16|3");
  EXPECT_EQ(told(blocks + adapter + "engine = \"libtorch\"\n"),
            "x.toml:10|'model.precision' = \"q8_0\" requires model.engine = \"exact\"|set precision = \"bfloat16\", or "
            "engine = \"exact\"|3");
  EXPECT_EQ(told("compute = \"bfloat16\"\n" + blocks + adapter),
            "x.toml:10|'model.compute' = \"bfloat16\", but weights in \"q8_0\" are multiplied in float32|set "
            "model.precision = \"bfloat16\"|3");
  EXPECT_EQ(told(blocks + adapter), "");
  EXPECT_EQ(told("frozen = true\n" + blocks), "");
  EXPECT_EQ(told("precision = \"bfloat16\"\ncompute = \"bfloat16\"\nengine = \"libtorch\"\n"), "");
}

TEST(Conflicts, SettingsThatContradictEachOtherAreRefused) {
  EXPECT_EQ(clashes_of(smallest("entropy_target = 1.0\nentropy_bonus = 0.2\n")),
            "x.toml:9|'grpo.entropy_bonus' = 0.2 is above entropy_bonus_max|set entropy_bonus, the initial value, to "
            "at most entropy_bonus_max|3");
  EXPECT_EQ(clashes_of(smallest("loss = \"cispo\"\nclip_high = 5\n")),
            "x.toml:9|'grpo.clip_high' = 5.0 has no effect with loss = \"cispo\"|set cispo_min and cispo_max, the "
            "limits of cispo|3");
  EXPECT_EQ(clashes_of(smallest("dual_clip = 3\nloss = \"sapo\"\n")),
            "x.toml:8|'grpo.dual_clip' = 3.0 has no effect with loss = \"sapo\"|omit it, or use a loss that clips, "
            "such as grpo or dapo|3");
  EXPECT_EQ(clashes_of(smallest("loss = \"kl_cov\"\nlevel = \"sequence\"\n")),
            "x.toml:9|'grpo.level' = \"sequence\" can't be combined with loss = \"kl_cov\", which selects tokens|set "
            "level = \"token\", or loss = \"gspo\"|3");
  EXPECT_EQ(clashes_of(smallest("loss = \"clip_cov\"\nlevel = \"sequence_product\"\n")),
            "x.toml:9|'grpo.level' = \"sequence_product\" can't be combined with loss = \"clip_cov\", which selects "
            "tokens|set level = \"token\", or loss = \"gspo\"|3");
  EXPECT_EQ(clashes_of(smallest("loss = \"gspo\"\nlevel = \"sequence_product\"\n")),
            "x.toml:9|'grpo.level' = \"sequence_product\" can't be combined with loss = \"gspo\", whose ratio is the "
            "geometric mean over tokens|omit 'level', or set loss = \"grpo\"|3");
  EXPECT_EQ(clashes_of(smallest("kl_times_ratio = true\nkl_in = \"reward\"\n")),
            "x.toml:8|'grpo.kl_times_ratio' = true applies to a KL term in the loss, but kl_in = \"reward\"|omit it, "
            "or set kl_in = \"loss\"|3");
  EXPECT_EQ(clashes_of(smallest("group_size = 1\n")),
            "x.toml:8|'grpo.group_size' = 1 makes every advantage 0 with baseline = \"group\"|set group_size to 2 or "
            "more, or baseline = \"none\"|3");
  EXPECT_EQ(clashes_of(smallest("divisor = \"fixed\"\ndivisor_floor = 0.1\n")),
            "x.toml:9|'grpo.divisor_floor' = 0.1 requires a standard deviation as divisor, but divisor = "
            "\"fixed\"|omit it, or set divisor = \"std\" or \"batch\"|3");
  EXPECT_EQ(clashes_of(smallest("combine = \"gdpo\"\n[reweighting]\nplugin = \"redundancy\"\n")),
            "x.toml:8|'grpo.combine' = \"gdpo\" has no sum of rewards for reweighting = \"redundancy\"|set "
            "[reweighting] plugin = \"none\", or combine = \"sum\"|3");
}

// Rewards without weight can be measured with the task `evaluate`.
TEST(Conflicts, OneRewardNeedsAWeight) {
  const std::string none = "weight = 0\n", two = "[[rewards]]\nplugin = \"length\"\n";
  const auto text = [&](const std::string& task, const std::string& more) {
    return "name = \"x\"\ntask = \"" + task +
           "\"\n[dataset]\nplugin = \"esc_world\"\n[[rewards]]\nplugin = \"format\"\n" + more;
  };
  EXPECT_EQ(clashes_of(text("grpo", none + two + none)),
            "x.toml:7|every reward has weight 0, so there is nothing to train on|set a weight, or use task = "
            "\"evaluate\" to compute rewards without training|3");
  EXPECT_EQ(clashes_of(text("grpo", none + two)), "");
  EXPECT_EQ(clashes_of(text("evaluate", none)), "");
}

TEST(Conflicts, AnswersNeedNamesOfTheirOwn) {
  FakeCatalog catalog;
  catalog.add("chat", "m", "{}");
  catalog.add("chat", "n", "{}");
  catalog.add("stages", "answer",
              R"({"asked": {"type": "plugin", "kind": "chat"}, "name": {"type": "string", "default": null}})");
  const auto stages = [&](const std::string& first, const std::string& second) {
    return clashes_of(
        "name = \"x\"\ntask = \"data\"\n[dataset]\nplugin = \"esc_world\"\n[[stages]]\nplugin = "
        "\"answer\"\n" +
            first + "\n[[stages]]\nplugin = \"answer\"\n" + second + "\n",
        catalog);
  };
  const std::string m = "asked = { plugin = \"m\" }", n = "asked = { plugin = \"n\" }", a = "\nname = \"a\"";
  EXPECT_EQ(stages(m + a, n + a),
            "x.toml:12|'stages[1].name' = \"a\" is that of stages[0]: the answers of one would overwrite those of the "
            "other|give each stage 'answer' a different name|3");
  EXPECT_NE(stages(m, m).find("'stages[1].name' is unset, and the model is that of stages[0]"), std::string::npos);
  EXPECT_EQ(stages(m + a, m + "\nname = \"b\""), "");
  EXPECT_EQ(stages(m, n), "");
}

TEST(Conflicts, ARewardNeedsARange) {
  EXPECT_EQ(clashes_of(smallest("[[rewards]]\nplugin = \"length\"\nfloor = 1\nceiling = 1.0\n")),
            "x.toml:10|'rewards[1].floor' is not below the ceiling, 1.0|set floor below ceiling|3");
}

}  // namespace
}  // namespace compeer::spec
