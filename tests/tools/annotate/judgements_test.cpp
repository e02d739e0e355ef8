// Agreement of annotators: the statistics, and the command that prints them.
#include "tools/annotate/judgements.h"

#include <cmath>
#include <sstream>

#include "../../program.h"
#include "base/error.h"

namespace compeer::annotate {
namespace {

// Parses one text per item: "a:x b:y" means that annotator a chose x and b chose y.
Judgements judgements(const std::vector<std::string>& items) {
  Judgements result;
  for (size_t i = 0; i < items.size(); ++i) {
    std::istringstream words(items[i]);
    for (std::string word; words >> word;) result.add(std::to_string(i), word.substr(0, 1), word.substr(2));
  }
  return result;
}

TEST(Judgements, RefusesASecondOpinionOfTheSameAnnotator) {
  Judgements some;
  some.add("i", "ann", "yes");
  some.add("i", "bob", "yes");
  try {
    some.add("i", "ann", "no");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "annotator 'ann' has already judged item 'i'");
  }
}

TEST(Judgements, KnowWhoWasAskedOnlyAboutDisagreements) {
  using Who = std::vector<bool>;
  EXPECT_EQ(adjudicators(judgements({"a:x b:x", "a:x b:y c:y"})), (Who{false, false, true}));
  EXPECT_EQ(adjudicators(judgements({"a:x c:y b:y", "a:x b:x"})), (Who{false, true, false}));
  EXPECT_EQ(adjudicators(judgements({"a:x b:x", "a:x b:y c:y", "a:x b:x c:x"})), (Who{false, false, false}));
  EXPECT_EQ(adjudicators(judgements({"a:x b:y c:y"})), (Who{false, false, false}));  // all annotators judged all items
  EXPECT_EQ(adjudicators(judgements({"a:x b:y", "a:x"})), (Who{false, false}));
}

TEST(Judgements, AgreeAsMuchAsAHandWorksOut) {
  // a and b agree on 2 of 3: chance (2/3)(1/3) + (1/3)(2/3) = 4/9; (2/3 - 4/9) / (5/9) = .4. The third annotator is not
  // counted.
  const auto some = judgements({"a:x b:x", "b:y a:y", "a:x b:y c:y", "a:x"});
  const auto result = agreement(some, adjudicators(some), {.resamples = 0});
  EXPECT_EQ(result.n, 3u);
  EXPECT_TRUE(result.two);
  EXPECT_DOUBLE_EQ(result.observed.value, 2.0 / 3);
  EXPECT_NEAR(result.cohen.value, 0.4, 1e-15);
  // For three annotators Cohen's kappa is undefined. Agreeing pairs 1, 1/3; 5 of 6 judgements are x: chance 26/36.
  const auto three = judgements({"a:x b:x c:x", "a:x b:x c:y"});
  const auto fleiss = agreement(three, adjudicators(three), {.resamples = 0});
  EXPECT_TRUE(std::isnan(fleiss.cohen.value));
  EXPECT_NEAR(fleiss.fleiss.value, (2.0 / 3 - 26.0 / 36) / (10.0 / 36), 1e-15);
}

// Expected: scikit-learn's weighted kappas and the package krippendorff's alphas for the same two annotators.
TEST(Judgements, OfOrderedLabelsCountDisagreementsByTheirDistance) {
  const std::string a = "0012344213", b = "0112442201";
  std::vector<std::string> items;
  for (size_t i = 0; i < a.size(); ++i) items.push_back(std::string("a:") + a[i] + " b:" + b[i]);
  const auto some = judgements(items);
  const auto order = order_of(some, {"0", "1", "2", "3", "4"});
  EXPECT_EQ(order_of(some, {"numbers"}).places, order.places);
  const auto found = agreement(some, adjudicators(some), {.resamples = 200}, &order);
  EXPECT_NEAR(found.cohen.value, 0.375, 1e-14);
  EXPECT_NEAR(found.linear.value, 0.5569620253164558, 1e-14);
  EXPECT_NEAR(found.quadratic.value, 0.717948717948718, 1e-14);
  EXPECT_NEAR(found.alpha.value, 0.39490445859872614, 1e-14);
  EXPECT_NEAR(found.ordinal.value, 0.7544523246650906, 1e-14);
  EXPECT_NEAR(found.interval.value, 0.7289234760051881, 1e-14);
  for (const auto& one : {found.linear, found.quadratic, found.alpha, found.ordinal, found.interval}) {
    EXPECT_LT(one.low, one.value);
    EXPECT_GT(one.high, one.value);
  }
  EXPECT_TRUE(std::isnan(agreement(some, adjudicators(some), {.resamples = 0}).linear.value)) << "without an order";
}

TEST(Judgements, AnOrderHasEveryLabelOnce) {
  const auto some = judgements({"a:bad b:good"});
  const auto wrong = [&](const std::vector<std::string>& names) {
    try {
      order_of(some, names);
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "--order");
      EXPECT_EQ(error.exit(), Exit::usage);
      return error.problem();
    }
    return std::string();
  };
  EXPECT_EQ(wrong({"bad", "fair", "good"}), "");
  EXPECT_EQ(wrong({"bad", "fair"}), "does not list the label 'good'");
  EXPECT_EQ(wrong({"bad", "good", "bad"}), "names the label 'bad' twice");
  EXPECT_EQ(wrong({"numbers"}), "the label 'bad' is not a number");
}

TEST(Judgements, AreSettledByAThird) {
  const auto some = judgements({"a:x b:x", "a:x b:y c:y", "a:x b:y c:z", "a:x b:y", "a:x", "c:y a:x b:y"});
  const auto result = adjudication(some, adjudicators(some));
  EXPECT_EQ(result.agreed, 1u);
  EXPECT_EQ(result.third, 2u);
  EXPECT_EQ(result.dropped, 1u);
  EXPECT_EQ(result.open, 1u);
  EXPECT_EQ(result.single, 1u);
  EXPECT_EQ(majority({0, 1}), no_majority);
  EXPECT_EQ(majority({2, 1, 2}), 2u);
}

class DataAgreement : public Program {};

TEST_F(DataAgreement, SaysWhatItFound) {
  write("some.jsonl",
        "\xEF\xBB\xBF{\"item\": 1, \"annotator\": \"ann\", \"label\": true}\n\n"
        "{\"item\": 1, \"annotator\": \"bob\", \"label\": true}\r\n"
        "{\"item\": 2, \"annotator\": \"ann\", \"label\": false}\n{\"item\": 2, \"annotator\": \"bob\", \"label\": "
        "true}\n"
        "{\"item\": 3, \"annotator\": \"ann\", \"label\": false}\n{\"item\": 3, \"annotator\": \"bob\", \"label\": "
        "false}\n"
        "{\"item\": 4, \"annotator\": \"ann\", \"label\": true}");
  EXPECT_EQ(told("data agreement some.jsonl --resamples 0"),
            "4 items, 7 judgements, labels true, false\n"
            "  ann judged all items\n"
            "  bob judged 3 of 4 items\n"
            "agreement over 3 items: observed 0.667, kappa 0.400 (Cohen)\n"
            "  alpha 0.444 (Krippendorff, nominal)\n"
            "adjudication: 2 agreed, 0 settled by a third, 0 dropped without a majority, 1 still open, 1 judged once\n"
            "exit 0");
  const auto said = told("data agreement some.jsonl --json --windows 2 --resamples 0");
  EXPECT_NE(said.find(R"("items":4,"judgements":7,"n":3,"observed_agreement":0.66666666666666)"), said.npos) << said;
  EXPECT_NE(said.find(R"("windows":[{"from":1,"to":2,"n":2,)"), said.npos) << said;
  EXPECT_NE(said.find(R"({"from":3,"to":4,"n":1,)"), said.npos) << said;
}

TEST_F(DataAgreement, TakesAnOrderOfTheLabels) {
  std::string lines;
  const std::string a = "0012344213", b = "0112442201";
  for (size_t i = 0; i < a.size(); ++i) {
    for (const auto& [who, label] : {std::pair("ann", a[i]), std::pair("bob", b[i])})
      lines += "{\"item\": " + std::to_string(i) + ", \"annotator\": \"" + who + "\", \"label\": " + label + "}\n";
  }
  write("some.jsonl", lines);
  const auto said = told("data agreement some.jsonl --order numbers --resamples 0");
  EXPECT_NE(said.find("  alpha 0.395 (Krippendorff, nominal)\n"
                      "  kappa 0.557 (Cohen, linear weights)\n"
                      "  kappa 0.718 (Cohen, quadratic weights)\n"
                      "  alpha 0.754 (Krippendorff, ordinal)\n"
                      "  alpha 0.729 (Krippendorff, interval)\n"),
            said.npos)
      << said;
  EXPECT_EQ(told("data agreement some.jsonl --order 0,1,2,3,4 --resamples 0"), said);
  const auto json = told("data agreement some.jsonl --order 0,1,2,3,4 --json");
  EXPECT_NE(json.find("\"krippendorff_alpha_ordinal_interval\":["), json.npos) << json;
  EXPECT_EQ(first_line("data agreement some.jsonl --order 0,1,2,4"),
            "compeer: error: --order: does not list the label '3'");
}

TEST_F(DataAgreement, NamesLinesThatAreWrong) {
  write("bad.jsonl",
        "{\"item\": 1, \"annotator\": \"ann\", \"label\": 1}\n{\"item\": 1, \"annotator\": \"bob\", \"label\": 1}\n"
        "{\"item\": 1, \"annotator\": \"ann\", \"label\": 1}\n[]\n{\"item\": 1}\n{\"item\": [], \"annotator\": 1}\n");
  const std::string lines =
      "bad.jsonl:3: annotator 'ann' has already judged item '1'\n"
      "bad.jsonl:4: is not a JSON object\n"
      "bad.jsonl:5: has no 'annotator'\n"
      "bad.jsonl:6: 'item' is neither a string nor a number\n";
  EXPECT_EQ(told("data agreement bad.jsonl"),
            "compeer: error: bad.jsonl: has 4 lines that can't be used:\n" + lines + "exit 4");
  const auto said = told("data agreement bad.jsonl --max-unreadable 0.7");
  EXPECT_TRUE(said.ends_with("exit 0")) << said;
  EXPECT_NE(said.find(lines), said.npos) << said;
  EXPECT_NE(said.find("kappa is undefined: all judgements have the same label"), said.npos) << said;
}

TEST_F(DataAgreement, NeedsSomethingToCompare) {
  write("empty.jsonl", "\n");
  EXPECT_EQ(told("data agreement empty.jsonl"), "compeer: error: empty.jsonl: contains no judgements\nexit 4");
  write("one.jsonl", "{\"item\": 1, \"annotator\": \"ann\", \"label\": 1}\n");
  EXPECT_EQ(told("data agreement one.jsonl"),
            "compeer: error: one.jsonl: contains no item that two annotators judged\n"
            "  help: add judgements of the same items by another annotator\nexit 4");
  EXPECT_EQ(first_line("data agreement gone.jsonl"),
            "compeer: error: gone.jsonl: can't be read: No such file or directory");
}

}  // namespace
}  // namespace compeer::annotate
