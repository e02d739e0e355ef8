#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "language/jinja/template.h"
#include "places.h"

namespace compeer::language::jinja {
namespace {

using Json = nlohmann::ordered_json;

// Templates with the output of transformers for them: tests/language/templates/rendered.json, written by make.py.
const Json& rendered() {
  static const Json read = [] {
    ::setenv("TZ", "UTC", 1);
    std::ifstream in(COMPEER_SOURCE_DIR "/tests/language/templates/rendered.json");
    return Json::parse(in);
  }();
  return read;
}

Variables variables_of(const Json& json) {
  Variables all;
  for (const auto& [name, value] : json.items()) all.emplace_back(name, value_of(value));
  return all;
}

std::string render(const std::string& source, const Json& variables = Json::object()) {
  return Template(source, "chat.jinja").render(variables_of(variables), 0).bytes();
}

std::string message(const std::string& source) {
  try {
    render(source);
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::data);
    return e.what();
  }
  return "not refused";
}

TEST(Template, RendersAsTransformersDoes) {
  int compared = 0;
  for (const Json& one : rendered().at("cases")) {
    const auto name = one.at("template").get<std::string>(), given = one.at("variables").get<std::string>();
    const auto source = rendered().at("templates").at(name).get<std::string>();
    const auto variables = variables_of(rendered().at("variables").at(given));
    const auto run = [&] {
      return Template(source, name).render(variables, rendered().at("now").get<std::time_t>()).bytes();
    };
    if (one.contains("refused")) {
      EXPECT_THROW(run(), Error) << name << ", " << given;
    } else {
      EXPECT_EQ(run(), one.at("text").get<std::string>()) << name << ", " << given;
    }
    ++compared;
  }
  EXPECT_GE(compared, 470);
}

TEST(Template, SaysWhatIsNotSupportedAndWhere) {
  EXPECT_EQ(message("a\n{% include 'x' %}"),
            "chat.jinja, line 2: the statement 'include' is not supported\n  help: known: if, for, set, macro, "
            "generation, break, continue, raw");
  EXPECT_NE(message("\n\n{{ x | pprint }}").find("chat.jinja, line 3: the filter 'pprint' is not supported"),
            std::string::npos);
  EXPECT_NE(message("{{ 1 is sameas 1 }}").find("line 1: the test 'sameas' is not supported"), std::string::npos);
  EXPECT_EQ(message("{{ 'a'.encode() }}"), "chat.jinja, line 1: the method 'encode' of a string is not supported");
  EXPECT_EQ(message("{% for x in [] recursive %}{% endfor %}"),
            "chat.jinja, line 1: 'recursive' loops are not supported");
  EXPECT_EQ(message("{{ f(*x) }}"), "chat.jinja, line 1: arguments with '*' are not supported");
}

TEST(Template, SaysWhatWentWrongAndWhere) {
  EXPECT_EQ(message("{% if true %}\n{{ x.y }}{% endif %}"), "chat.jinja, line 2: 'x' is undefined");
  EXPECT_EQ(message("{{ raise_exception('roles must alternate') }}"),
            "chat.jinja, line 1: the chat template rejects this conversation: roles must alternate");
  EXPECT_EQ(message("{{ 'a' + 1 }}"), "chat.jinja, line 1: a string + an integer is not supported");
  EXPECT_EQ(message("{% if x %}"), "chat.jinja, line 1: 'endif' is missing at the end of the template");
  EXPECT_EQ(message("{% endif %}"), "chat.jinja, line 1: 'endif' has no matching statement");
  EXPECT_EQ(message("{{ x"), "chat.jinja, line 1: a tag is not closed: '}}' is missing");
  EXPECT_EQ(message("{{ f() }}"), "chat.jinja, line 1: 'f' is undefined, so it can't be called");
}

TEST(Template, IsBounded) {
  const auto bounded = [](const std::string& source, const std::string& why) {
    const auto said = message(source);
    EXPECT_NE(said.find(why), std::string::npos) << said;
  };
  bounded("{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}", "steps");
  bounded("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "calls itself");
  bounded("{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}", "bytes");
  bounded("{{ 'a' * 100000000000 }}", "bytes");
  bounded("{% set ns = namespace(x=[]) %}{% for i in range(999) %}{% set ns.x = [ns.x] %}{% endfor %}", "nest");
  bounded("{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}", "parts");
  bounded(std::string("{{ ") + std::string(5000, '(') + "1" + std::string(5000, ')') + "}}", "nests more than");
  bounded(
      "{{ " +
          [] {
            std::string sum = "1";
            for (int i = 0; i < 5000; ++i) sum += "+1";
            return sum;
          }() +
          " }}",
      "nests more than");
  bounded("{{ range(1000000) }}", "range() of more than");
  bounded("{{ 2 ** 64 }}", "64 bits");
}

// A naive search would take minutes: 2 million times 2 million comparisons.
TEST(Template, SearchesAlmostEqualTextsInLinearTime) {
  const std::string half = "{% set a = 'a' * 2000000 %}", front = "{% set b = 'b' ~ a %}",
                    back = "{% set b = a ~ 'b' %}";
  EXPECT_EQ(render(half + back + "{{ b in a * 2 }} {{ (a * 2).find(b) }} {{ (a * 2).count(b) }}"), "False -1 0");
  EXPECT_EQ(render(half + back + "{{ (a * 2).split(b) | length }} {{ (a * 2).replace(b, '') == a * 2 }}"), "1 True");
  EXPECT_EQ(render(half + front + "{{ (a * 2).rfind(b) }} {{ (a * 2).rsplit(b) | length }}"), "-1 1");
  EXPECT_EQ(render(half + "{{ (a ~ 'x').strip('b' * 1000000 ~ 'a') }}"), "x");
}

TEST(Template, SplitsFromTheRight) {
  EXPECT_EQ(render("{{ 'a, b, c'.rsplit(', ') }} {{ 'a, b, c'.rsplit(', ', 1) }} {{ ''.rsplit(',') }}"),
            "['a', 'b', 'c'] ['a, b', 'c'] ['']");
  EXPECT_EQ(render("{{ 'aaa'.rsplit('aa') }} {{ 'aaa'.split('aa') }} {{ 'a-b-'.rpartition('-') }}"),
            "['a', ''] ['', 'a'] ('a-b', '-', '')");
}

TEST(Template, EmptiesNamespacesThatHoldThemselves) {
  EXPECT_EQ(render("{% set a = namespace() %}{% set a.b = a %}{% set a.c = [a] %}ok"), "ok");
}

// User data stays marked as data through everything that templates do with it.
TEST(Text, KnowsWhoWroteIt) {
  const auto marked = [](const std::string& source) {
    const Text text = Template(source, "t").render(variables_of({{"c", " <A> b "}}), 0);
    std::string shown;
    for (size_t i = 0; i < text.size(); ++i) shown += text.is_data(i) ? '#' : text.bytes()[i];
    return shown;
  };
  EXPECT_EQ(marked("[{{ c }}]"), "[#######]");
  EXPECT_EQ(marked("{{ 'x' + c.strip() + 'y' }}"), "x#####y");
  EXPECT_EQ(marked("{{ c | trim | lower }}"), "#####");
  EXPECT_EQ(marked("{{ c.replace('A', '<|x|>') }}"), "##<|x|>####");
  EXPECT_EQ(marked("{{ c.split('<') | join('<') }}"), "#<#####");
  EXPECT_EQ(marked("{{ c[1:4] ~ c[0] ~ c | length }}"), "####7");
  EXPECT_EQ(marked("{{ {'k': c} | tojson }}"), "{\"k\": \"#######\"}");
  EXPECT_EQ(marked("{{ [c] }}"), "['#######']");
  EXPECT_EQ(marked("{% set x %}<{{ c }}>{% endset %}{{ x | upper }}"), "<#######>");
  EXPECT_EQ(marked("{% macro f(a) %}({{ a }}){% endmacro %}{{ f(c) }}"), "(#######)");
}

}  // namespace
}  // namespace compeer::language::jinja
