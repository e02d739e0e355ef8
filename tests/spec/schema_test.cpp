#include "spec/schema.h"

#include <gtest/gtest.h>

#include "fake_catalog.h"
#include "spec/core_schema.h"

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
                  "' has a name that is not made of letters, digits, '_' and '-'||5");
  EXPECT_NE(refused(R"({"in": {"type": "table", "parameters": {"a.b": {"type": "number"}}}})"), "");
  EXPECT_EQ(refused(R"({"A_1-b": {"type": "number"}})"), "");
}

TEST(ParseSchema, RefusesLimitsThatLeaveNothing) {
  const auto limits = [](const std::string& text) { return refused(R"({"a": {"type": "number", )" + text + "}}"); };
  const auto wrong = "length.so|parameter 'a' has limits with nothing between them|the smallest value comes first|5";
  EXPECT_EQ(limits(R"("min": 9, "max": 1)"), wrong);
  EXPECT_EQ(limits(R"("above": 1, "max": 1)"), wrong);
  EXPECT_EQ(limits(R"("min": 1, "below": 1)"), wrong);
  EXPECT_EQ(limits(R"("min": 1, "max": 1)"), "");
}

TEST(ParseSchema, RefusesWhatItDoesNotKnowAsThePluginsFault) {
  EXPECT_EQ(
      refused(R"({"a": {"type": "nubmer"}})"),
      "length.so|parameter 'a' has no known type: 'nubmer'|did you mean 'number'? known: integer, number, boolean, "
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
            "length.so|parameter 'a' has a default that is no name of a plugin||5");
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

}  // namespace
}  // namespace compeer::spec
