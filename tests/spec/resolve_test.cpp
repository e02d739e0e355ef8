#include <gtest/gtest.h>

#include <cmath>

#include "fake_catalog.h"
#include "spec/spec.h"

namespace compeer::spec {
namespace {

Spec resolved(const std::string& text) { return resolve(parse_toml(text, "x.toml"), FakeCatalog()); }
std::string refused(const std::string& text) {
  return complaint([&] { resolved(text); });
}
std::string refused_json(const std::string& path, const json& value) {
  return complaint([&] { resolve(with(parse_toml(smallest(), "x.toml"), {{path, value, "s.lua:3"}}), FakeCatalog()); });
}

TEST(Resolve, FillsInEveryDefault) {
  const auto spec = resolved(smallest());
  EXPECT_EQ(
      spec.canonical(),
      R"({"checkpoint":{"every":null,"keep":2,"minutes":10.0},"dataset":{"ambiguity":0.15,)"
      R"("long_prompts":"trim","max_prompt_tokens":null,"plugin":"esc_world","system":null,"system_file":null},)"
      R"("grpo":{"advantage_max":null,"advantage_min":null,"baseline":"group","batch":8,"beta":0.0)"
      R"(,"cispo_max":5.0,"cispo_min":0.0,"clip":0.2,"clip_cov_high":5.0,"clip_cov_low":1.0)"
      R"(,"clip_cov_share":0.0002,"clip_high":null,"clip_low":null,"combine":"sum","delta":null)"
      R"(,"divisor":"std","divisor_floor":0.0,"divisor_value":1.0,"dual_clip":null,"entropy_bonus":0.0,"entropy_bonus_max":0.1)"
      R"(,"entropy_step":0.005,"entropy_target":null,"epsilon":1e-06,"group_size":4,"groups_per_reduction":1,"high_entropy_share":1.0,"kl_cov_coefficient":1.0)"
      R"(,"kl_cov_share":0.002,"kl_difference_limit":null,"kl_estimator":"k3","kl_in":"loss","kl_limit":null)"
      R"(,"kl_times_ratio":false,"level":"token","loss":"grpo","lr":1e-06,"mask_truncated":false,"micro_tokens":null)"
      R"(,"off_policy_limit":null,"resample":0,"sapo_negative":1.05,"sapo_positive":1.0,"split":"train","steps":100)"
      R"(,"updates":1,"vespo_k_negative":3.0,"vespo_k_positive":2.0,"vespo_lambda_negative":2.0)"
      R"(,"vespo_lambda_positive":3.0},)"
      R"("model":{"config":null,"foreign_tokenizer":false,"path":null,"plugin":"qwen2","tokenizer":null},"name":"x","nonfinite":"stop",)"
      R"("optimizer":{"beta1":0.9,"beta2":0.999,"epsilon":1e-08,"max_grad_norm":1.0,"schedule":"constant","warmup":0,"weight_decay":0.0},)"
      R"("overlap":"hosts","ranks":1,"record":{"rollouts":true},"rewards":[{"ceiling":null,"cosine_length":null,"floor":null,"label":"format","plugin":"format","right_above":0.0,"truncated_factor":1.0,"weight":1.0}],)"
      R"("reweighting":{"plugin":"none"},"sampling":{"concurrent":64,"greedy":false,"max_new_tokens":64,"min_p":0.0,"repetition_penalty":1.0,"stop":[],)"
      R"("temperature":1.0,"top_k":0,"top_p":1.0},)"
      R"("seed":1,"shard":"none","sums":"host","task":"grpo","threads":1,)"
      R"("validation":{"better":null,"every":null,"group_size":1,"keep":"best","metrics":[],"patience":null,"prompts":64,"split":"valid"},)"
      R"("watchdog":{"seconds":300}})");
}

TEST(Resolve, KeepsTheSectionsOfItsTaskOnly) {
  const auto sft = resolved(
      "name = \"x\"\ntask = \"sft\"\n[dataset]\nplugin = \"esc_world\"\n[grpo]\nlr = 1\n[[rewards]]\nplugin = "
      "\"length\"\n");
  EXPECT_EQ(
      sft.values.at("sft").dump(),
      R"({"batch":16,"loss_on":"answer","lr":0.003,"micro_batch":8,"neighbours":1,"split":"train","steps":1000})");
  for (const auto* section : {"grpo", "rewards", "reweighting", "sampling", "evaluate"})
    EXPECT_FALSE(sft.values.contains(section)) << section;
  for (const auto& plugin : sft.plugins) EXPECT_NE(plugin.kind, "rewards");
  const auto evaluate = resolved(
      "name = \"x\"\ntask = \"evaluate\"\n[dataset]\nplugin = \"esc_world\"\n[[rewards]]\nplugin = \"length\"\n");
  EXPECT_EQ(evaluate.values.at("evaluate").dump(), R"({"batch":16,"group_size":4,"prompts":64,"split":"test"})");
  for (const auto* section : {"grpo", "sft", "optimizer", "checkpoint"})
    EXPECT_FALSE(evaluate.values.contains(section)) << section;
}

TEST(Resolve, ChecksTheSectionsItDrops) {
  EXPECT_EQ(refused(smallest("[sft]\nlr = -1\n")), "x.toml:9|'sft.lr' must be a number above 0, not -1||3");
}

TEST(Resolve, TakesNullForUnset) {
  const auto base = parse_toml(
      smallest("steps = 8\nmicro_tokens = 30\n[reweighting]\nplugin = \"redundancy\"\nalpha = 0.25\n"), "x.toml");
  const auto unset = [&](const std::vector<std::string>& keys) {
    std::vector<Change> changes;
    for (const auto& key : keys) changes.push_back(parse_set(key + "=null"));
    return resolve(with(base, changes), FakeCatalog());
  };
  const auto spec = unset({"grpo.steps", "grpo.micro_tokens", "reweighting"});
  EXPECT_EQ(spec.canonical(), resolved(smallest()).canonical());
  EXPECT_EQ(spec.origins.at("grpo.steps"), "default");
  EXPECT_EQ(unset({"reweighting.plugin"}).values.at("reweighting"), json({{"plugin", "none"}}));
  EXPECT_TRUE(
      starts(complaint([&] { unset({"grpo.setps"}); }), "--set|unknown key 'grpo.setps'|did you mean 'steps'?"));
  EXPECT_TRUE(starts(complaint([&] { unset({"name"}); }), "x.toml|missing key 'name'|"));
  EXPECT_EQ(resolve(with(base, {parse_set("name=\"null\"")}), FakeCatalog()).values.at("name"), "null");
}

TEST(Resolve, KnowsWhereEveryValueIsFrom) {
  auto draft = parse_toml(smallest("steps = 8\n"), "x.toml");
  set(draft, "seed", 3, "--set");
  const auto spec = resolve(draft, FakeCatalog());
  EXPECT_EQ(spec.origins.at("grpo.steps"), "x.toml:8");
  EXPECT_EQ(spec.origins.at("grpo.lr"), "default");
  EXPECT_EQ(spec.origins.at("seed"), "--set");
  EXPECT_EQ(spec.origins.at("rewards[0].plugin"), "x.toml:6");
  EXPECT_EQ(spec.origins.at("rewards[0].label"), "default");
  EXPECT_EQ(spec.origins.count("sft.lr"), 0u);
}

TEST(Resolve, ListsThePluginsItUses) {
  const auto spec = resolved(smallest("[[rewards]]\nplugin = \"format\"\nlabel = \"again\"\n"));
  std::string list;
  for (const auto& plugin : spec.plugins) list += plugin.kind + "/" + plugin.name + " ";
  EXPECT_EQ(list, "models/qwen2 datasets/esc_world rewards/format reweighting/none ");
}

TEST(Resolve, BringsNumbersIntoTheirType) {
  const auto spec = resolved(
      smallest("steps = 1e3\nclip = 1\n[reweighting]\nplugin = \"redundancy\"\nalpha = -0.0\nbands = [1, 2.5]\n"));
  EXPECT_EQ(spec.values.at("grpo").at("steps").dump(), "1000");
  EXPECT_EQ(spec.values.at("grpo").at("clip").dump(), "1.0");
  EXPECT_EQ(spec.values.at("reweighting").at("alpha").dump(), "0.0");
  EXPECT_EQ(spec.values.at("reweighting").at("bands").dump(), "[1.0,2.5]");
}

TEST(Resolve, GivesTheSameHashHoweverItWasWritten) {
  const auto one = resolved(smallest("steps = 8\nclip = 0.5\n"));
  const auto other = resolved(
      "task = \"grpo\"\nseed = 1\nname = \"x\"\ngrpo = {clip = 5e-1, steps = 8.0}\n"
      "rewards = [{plugin = \"format\", weight = 1}]\ndataset.plugin = \"esc_world\"\n");
  EXPECT_EQ(one.sha256(), other.sha256());
  EXPECT_NE(one.sha256(), resolved(smallest("steps = 9\nclip = 0.5\n")).sha256());
}

TEST(Resolve, OfAResolvedSpecIsTheSameSpec) {
  const auto spec = resolved(smallest("[reweighting]\nplugin = \"redundancy\"\n[model.config]\nhidden_size = 64\n"));
  const auto again = resolve(spec.draft(), FakeCatalog());
  EXPECT_EQ(again.sha256(), spec.sha256());
  EXPECT_EQ(again.origins, spec.origins);
  const auto reread = resolve(Spec::from_file_text(spec.file_text()).draft(), FakeCatalog());
  EXPECT_EQ(reread.sha256(), spec.sha256());
}

TEST(Resolve, RefusesAnUnknownKeyWithTheNearestName) {
  EXPECT_EQ(refused(smallest("setps = 8\n")),
            "x.toml:8|unknown key 'grpo.setps'|did you mean 'steps'? known: steps, split, sapo_positive, "
            "sapo_negative, group_size, batch, updates, resample and 42 more: compeer settings grpo|3");
  EXPECT_EQ(
      refused(smallest("[[rewards]]\nplugin = \"length\"\ntagret = 9\n")),
      "x.toml:10|unknown key 'rewards[1].tagret'|did you mean 'target'? known: plugin, weight, label, floor, ceiling, "
      "truncated_factor, cosine_length, right_above, target, unit|3");
  EXPECT_TRUE(
      starts(refused("sede = 1\n" + smallest()), "x.toml:1|unknown key 'sede'|did you mean 'seed'? known: name"));
  EXPECT_EQ(
      refused(smallest("[model.config]\nhidden_siz = 8\nhidden_size = 8\n")),
      "x.toml:9|unknown key 'model.config.hidden_siz'|did you mean 'hidden_size'? known: hidden_size, rope_theta, "
      "tie_word_embeddings|3");
}

TEST(Resolve, SaysWhereAMisplacedKeyBelongs) {
  EXPECT_EQ(refused("lr = 1e-3\n" + smallest()), "x.toml:1|unknown key 'lr'|did you mean 'grpo.lr'?|3");
  EXPECT_EQ(refused(smallest("threads = 2\n")),
            "x.toml:8|unknown key 'grpo.threads'|write 'threads' at the top, before the first [table]|3");
}

TEST(Resolve, RefusesAWrongType) {
  EXPECT_EQ(refused(smallest("lr = \"fast\"\n")),
            "x.toml:8|'grpo.lr' must be a number above 0, not the string \"fast\"||3");
  EXPECT_EQ(refused(smallest("steps = 1.5\n")), "x.toml:8|'grpo.steps' must be an integer of at least 1, not 1.5||3");
  EXPECT_EQ(refused(smallest("[sampling]\ngreedy = 1\n")),
            "x.toml:9|'sampling.greedy' must be true or false, not 1||3");
  EXPECT_EQ(refused(smallest("split = 1\n")),
            "x.toml:8|'grpo.split' must be a string, not 1|write it in quotes: \"1\"|3");
  EXPECT_EQ(
      refused(smallest("[[checkpoint]]\nkeep = 1\n")),
      "x.toml:8|'checkpoint' must be a table, not the list [{\"keep\":1}]|write [checkpoint], in single brackets|3");
  EXPECT_EQ(
      refused("name = \"x\"\ntask = \"grpo\"\n[dataset]\nplugin = \"esc_world\"\n[rewards]\nplugin = \"format\"\n"),
      "x.toml:5|'rewards' must be a list of one or more tables, not the table {\"plugin\":\"format\"}|write "
      "[[rewards]]|3");
  EXPECT_EQ(refused(smallest("[validation]\nmetrics = \"loss\"\n")),
            "x.toml:9|'validation.metrics' must be a list of strings, not the string \"loss\"|write [\"loss\"]|3");
  EXPECT_EQ(refused(smallest("[reweighting]\nplugin = \"redundancy\"\nbands = [1, \"a\"]\n")),
            "x.toml:10|'reweighting.bands' item 2: must be a number, not the string \"a\"||3");
  EXPECT_EQ(refused("name = \"x\"\ntask = \"grpo\"\ngrpo = 3\nrewards = [1]\n[dataset]\nplugin = \"esc_world\"\n"),
            "x.toml:3|'grpo' must be a table, not 3\nx.toml:4: 'rewards[0]' must be a table, not 1||3");
}

TEST(Resolve, RefusesAValueOutOfRange) {
  EXPECT_EQ(refused(smallest("group_size = 0\n")),
            "x.toml:8|'grpo.group_size' must be an integer of at least 1, not 0||3");
  EXPECT_EQ(refused("ranks = 5000\n" + smallest()), "x.toml:1|'ranks' must be an integer from 1 to 4096, not 5000||3");
  EXPECT_EQ(refused(smallest("[optimizer]\nbeta1 = 1.0\n")),
            "x.toml:9|'optimizer.beta1' must be a number of at least 0 and below 1, not 1.0||3");
  EXPECT_EQ(refused(smallest("loss = \"bpno\"\n")),
            "x.toml:8|'grpo.loss' must be one of grpo, bnpo, dr_grpo, dapo, luspo, gspo, cispo, sapo, vespo, clip_cov, "
            "kl_cov, not the "
            "string \"bpno\"|did you mean 'bnpo'?|3");
  EXPECT_EQ(refused(smallest("lr = nan\n")),
            "x.toml:8|'grpo.lr' must be a number above 0, not nan|a number must be finite|3");
  EXPECT_EQ(refused(smallest("clip = inf\n")),
            "x.toml:8|'grpo.clip' must be a number above 0, not inf|a number must be finite|3");
  EXPECT_EQ(refused_json("seed", 18446744073709551615u),
            "s.lua:3|'seed' must be an integer of at least 0, not 18446744073709551615||3");
  EXPECT_EQ(refused_json("seed", 1e300), "s.lua:3|'seed' must be an integer of at least 0, not 1e+300||3");
}

// A sweep changes one setting and leaves the others as they are.
TEST(Resolve, AllowsSettingsThatWaitForAnotherValue) {
  for (const char* lines :
       {"kl_estimator = \"k1\"\n", "divisor_value = 0.5\n", "cispo_max = 3\n", "clip = 0.1\nloss = \"cispo\"\n",
        "combine = \"gdpo\"\n", "group_size = 1\nbaseline = \"none\"\ndivisor = \"none\"\n", "off_policy_limit = 0.1\n",
        "clip_low = 0.1\nloss = \"clip_cov\"\n"})
    EXPECT_NO_THROW(resolved(smallest(lines))) << lines;
}

TEST(Resolve, RefusesAMissingPlugin) {
  EXPECT_EQ(refused(smallest("[[rewards]]\nplugin = \"lenght\"\nanything = 1\n")),
            "x.toml:9|no reward plugin 'lenght'|did you mean 'length'? known: format, length|3");
  EXPECT_EQ(refused(smallest("[model]\nplugin = \"../x\"\n")), "x.toml:9|no model plugin '../x'|known: qwen2|3");
}

const std::string dra = "[reweighting]\nplugin = \"dra\"\n";

TEST(Resolve, MakesATableOfAPluginThatAnotherOneNames) {
  const auto similarity = [](const std::string& line) {
    return resolved(smallest(dra + line)).values.at("reweighting").at("similarity").dump();
  };
  EXPECT_EQ(similarity(""), R"({"n_max":2,"plugin":"ngrams"})");
  EXPECT_EQ(similarity("similarity = \"ngrams\"\n"), R"({"n_max":2,"plugin":"ngrams"})");
  EXPECT_EQ(similarity("similarity = {n_max = 3}\n"), R"({"n_max":3,"plugin":"ngrams"})");
  EXPECT_EQ(similarity("similarity = {plugin = \"encoder\", path = \"p\"}\n"),
            R"({"batch":8,"path":"p","plugin":"encoder"})");
}

TEST(Resolve, KnowsAllAboutAPluginThatAnotherOneNames) {
  const auto spec = resolved(smallest(dra + "[reweighting.similarity]\nplugin = \"encoder\"\npath = \"p\"\n"));
  std::string list;
  for (const auto& plugin : spec.plugins) list += plugin.kind + "/" + plugin.name + " ";
  EXPECT_EQ(list, "models/qwen2 datasets/esc_world rewards/format reweighting/dra similarity/encoder ");
  EXPECT_EQ(spec.paths, std::vector<std::string>{"reweighting.similarity.path"});
  EXPECT_EQ(spec.origins.at("reweighting.similarity.plugin"), "x.toml:11");
  EXPECT_EQ(spec.origins.at("reweighting.similarity.batch"), "default");
  EXPECT_EQ(resolved(spec.toml()).sha256(), spec.sha256());
  const auto again = resolve(spec.draft(), FakeCatalog());
  EXPECT_EQ(again.sha256(), spec.sha256());
  EXPECT_EQ(again.origins, spec.origins);
  const auto brief = resolved(smallest(dra + "similarity = \"ngrams\"\n"));
  EXPECT_EQ(brief.origins.at("reweighting.similarity.plugin"), "x.toml:10");
}

TEST(Resolve, RefusesWhatAPluginThatAnotherOneNamesCantBe) {
  const auto wrong = [](const std::string& line) { return refused(smallest(dra + line)); };
  EXPECT_EQ(wrong("similarity = \"ngram\"\n"),
            "x.toml:10|no similarity plugin 'ngram'|did you mean 'ngrams'? known: encoder, ngrams|3");
  EXPECT_EQ(wrong("similarity = {plugin = \"ngrams\", n_min = 3}\n"),
            "x.toml:10|unknown key 'reweighting.similarity.n_min'|did you mean 'n_max'? known: plugin, n_max|3");
  EXPECT_EQ(wrong("similarity = {n_max = 0}\n"),
            "x.toml:10|'reweighting.similarity.n_max' must be an integer of at least 1, not 0||3");
  EXPECT_EQ(wrong("similarity = \"encoder\"\n"),
            "x.toml:10|missing key 'reweighting.similarity.path'|a path (a string or { run = \"NAME\" })|3");
  EXPECT_EQ(wrong("similarity = 3\n"),
            "x.toml:10|'reweighting.similarity' must be a similarity plugin (its name, or a table with its settings), "
            "not 3||3");
}

TEST(Resolve, LetsAPluginThatAnotherOneNamesBeRequiredOrUnset) {
  FakeCatalog catalog;
  catalog.add("reweighting", "strict", R"({"similarity": {"type": "plugin", "kind": "similarity"}})");
  catalog.add("reweighting", "free", R"({"similarity": {"type": "plugin", "kind": "similarity", "default": null}})");
  const auto of = [&](const std::string& name, const std::string& line = "") {
    return resolve(parse_toml(smallest("[reweighting]\nplugin = \"" + name + "\"\n" + line), "x.toml"), catalog)
        .values.at("reweighting")
        .at("similarity");
  };
  EXPECT_EQ(complaint([&] { of("strict"); }),
            "x.toml:8|missing key 'reweighting.similarity'|a similarity plugin (its name, or a table with its "
            "settings)|3");
  EXPECT_EQ(complaint([&] { of("free", "similarity = {n_max = 3}\n"); }),
            "x.toml:10|missing key 'reweighting.similarity.plugin'|known: encoder, ngrams|3");
  EXPECT_TRUE(of("free").is_null());
  EXPECT_EQ(of("strict", "similarity = \"ngrams\"\n").at("n_max"), 2);
}

TEST(Resolve, EndsWherePluginsNameEachOther) {
  FakeCatalog catalog;
  catalog.add("similarity", "circle", R"({"of": {"type": "plugin", "kind": "similarity", "default": "circle"}})");
  EXPECT_EQ(complaint([&] { resolve(parse_toml(smallest(dra + "similarity = \"circle\"\n"), "x.toml"), catalog); }),
            "x.toml:10|'reweighting.similarity.of.of.of.of': plugins in the settings of plugins are nested more than 4 "
            "deep||5");
}

TEST(Resolve, TellsABrokenPluginFromAMissingOne) {
  FakeCatalog catalog;
  catalog.add_broken("rewards", "bad");
  const auto text =
      complaint([&] { resolve(parse_toml(smallest("[[rewards]]\nplugin = \"bad\"\n"), "x.toml"), catalog); });
  EXPECT_EQ(text,
            "x.toml:9|the reward plugin 'bad' can't be used: /plugins/rewards/bad.so: is not a shared library|build it "
            "again|5");
}

TEST(Resolve, RefusesAPluginThatWantsAKeyOfTheSection) {
  FakeCatalog catalog;
  catalog.add("rewards", "greedy", R"({"weight": {"type": "number", "default": 1}})");
  const auto text =
      complaint([&] { resolve(parse_toml(smallest("[[rewards]]\nplugin = \"greedy\"\n"), "x.toml"), catalog); });
  EXPECT_EQ(text,
            "x.toml:9|the reward plugin 'greedy' can't be used: /plugins/rewards/greedy.so: its parameter 'weight' has "
            "the name of a key of 'rewards[1]' itself||5");
}

TEST(Resolve, RefusesAMissingKey) {
  EXPECT_EQ(refused(""),
            "x.toml|missing key 'name'|a string: name of the run: letters, digits, '.', '_', '-', at most 100\n"
            "x.toml: missing key 'task'\n  help: one of sft, grpo, evaluate, data: what the run does\n"
            "x.toml: missing key 'dataset.plugin'\n  help: known: esc_world, files|3");
  EXPECT_EQ(refused("name = \"x\"\ntask = \"grpo\"\ndataset.plugin = \"esc_world\"\n"),
            "x.toml|missing key 'rewards'|a list of one or more tables: terms of the reward; the reward is their "
            "weighted sum|3");
  EXPECT_EQ(refused(smallest("[model.config]\n")),
            "x.toml:8|missing key 'model.config.hidden_size'|an integer of at least 1|3");
}

TEST(Resolve, RefusesNullForARequiredKey) {
  EXPECT_TRUE(starts(refused_json("dataset.plugin", nullptr), "x.toml:3|missing key 'dataset.plugin'|"));
  EXPECT_EQ(refused_json("grpo.lr", nullptr), "");
  EXPECT_EQ(refused_json("model.path", nullptr), "");
}

TEST(Resolve, RefusesNamesThatAreNoFolders) {
  for (const std::string name : {"", "a/b", "..", "-x", "a b", "\xC3\xA4"}) {
    EXPECT_EQ(refused_json("name", name), "s.lua:3|'name' must consist of letters, digits, '.', '_' and '-', not \"" +
                                              name +
                                              "\"|use at most 100 characters, the first a letter, a digit or '_'|3");
  }
  EXPECT_EQ(refused_json("name", "answers"),
            "s.lua:3|'answers' is the name of the folder for answers of chat models, next to the folders of runs|give "
            "the run another "
            "name|3");
  EXPECT_NE(refused_json("name", std::string(101, 'a')), "");
  EXPECT_EQ(refused_json("name", std::string(100, 'a')), "");
}

TEST(Resolve, RefusesTextThatCouldNotBeWrittenDown) {
  EXPECT_EQ(refused_json("grpo.split", "a\xFF"), "s.lua:3|'grpo.split' is not valid UTF-8: \"a\\xff\"||3");
  EXPECT_EQ(refused_json("grpo.split", std::string("a\0b", 3)),
            "s.lua:3|'grpo.split' contains a NUL byte: \"a\\x00b\"||3");
  EXPECT_EQ(refused_json("model.path", ""), "s.lua:3|'model.path' must be a path, not an empty string||3");
}

TEST(Resolve, RefusesTwoRewardsOfOneLabel) {
  EXPECT_EQ(
      refused(smallest("[[rewards]]\nplugin = \"format\"\n")),
      "x.toml:8|'rewards[1]' has the label 'format', like 'rewards[0]'|give each a different label, such as label "
      "= \"format_2\"|3");
}

TEST(Resolve, TellsAllMistakesInTheOrderOfTheFile) {
  EXPECT_EQ(refused(smallest("steps = 0\nlr = 0\n[model]\npth = \"a\"\n")),
            "x.toml:8|'grpo.steps' must be an integer of at least 1, not 0\n"
            "x.toml:9: 'grpo.lr' must be a number above 0, not 0\n"
            "x.toml:11: unknown key 'model.pth'\n  help: did you mean 'path'? known: plugin, tokenizer, "
            "foreign_tokenizer, path, config||3");
}

TEST(Resolve, TellsTheFirstTwentyMistakes) {
  std::string keys;
  for (int i = 0; i < 50; ++i) keys += "key" + std::to_string(i) + " = 1\n";
  const auto text = refused(smallest(keys));
  EXPECT_NE(text.find("x.toml:27: unknown key 'grpo.key19'"), std::string::npos);
  EXPECT_EQ(text.find("key20'"), std::string::npos);
  EXPECT_NE(text.find("\n... and 30 more|3"), std::string::npos) << text;
}

TEST(Check, TellsEveryMistakeButMissingKeys) {
  const auto told = [](const std::string& text) {
    return complaint([&] { check(parse_toml(text, "x.toml"), FakeCatalog()); });
  };
  EXPECT_EQ(told("name = \"x\"\n[model.config]\n[[rewards]]\nweight = 2\n"), "");
  EXPECT_EQ(told("[grpo]\nlr = 0\n"), "x.toml:2|'grpo.lr' must be a number above 0, not 0||3");
}

TEST(Resolve, TakesAnEmptyLuaTableAsEither) {
  EXPECT_EQ(refused_json("reweighting", json::array()), "");
  EXPECT_EQ(refused_json("reweighting", {{"plugin", "redundancy"}, {"bands", json::object()}}), "");
}

TEST(Check, LetsKeysBeMissingButNotWrong) {
  const auto checked = [](const std::string& text) {
    return complaint([&] { check(parse_toml(text, "x.toml"), FakeCatalog()); });
  };
  EXPECT_EQ(checked(""), "");
  EXPECT_EQ(checked("task = \"grpo\"\n[[rewards]]\nweight = 2\n"), "");
  EXPECT_EQ(checked("[grpo]\nsetps = 3\n").substr(0, 34), "x.toml:2|unknown key 'grpo.setps'|");
  EXPECT_EQ(checked("task = \"grpo\"\n[sampling]\ntemperature = 0\n"),
            "x.toml:3|'sampling.temperature' must be a number above 0 and at most 100, not 0||3");
}

TEST(ResolvePlugin, TakesAPluginByItself) {
  const auto alone = [](const json& given, const std::string& kind) {
    Draft draft;
    draft.values = given;
    draft.origins[""] = "--set";
    return resolve_plugin(draft, kind, FakeCatalog());
  };
  EXPECT_EQ(alone({{"plugin", "length"}, {"unit", "tokens"}}, "rewards").values,
            (json{{"plugin", "length"}, {"target", 400}, {"unit", "tokens"}}));
  EXPECT_EQ(alone({{"plugin", "dra"}}, "reweighting").values,
            (json{{"plugin", "dra"}, {"similarity", {{"plugin", "ngrams"}, {"n_max", 2}}}}));
  EXPECT_EQ(alone({{"plugin", "encoder"}}, "similarity").values,
            (json{{"plugin", "encoder"}, {"path", nullptr}, {"batch", 8}}));
  EXPECT_EQ(complaint([&] {
              alone({{"plugin", "length"}, {"traget", 3}}, "rewards");
            }).substr(0, 49),
            "--set|unknown key 'traget'|did you mean 'target'?");
}

}  // namespace
}  // namespace compeer::spec
