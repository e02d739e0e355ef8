// `compeer data agreement`: computes the agreement of annotators from a file of their judgements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include "base/error.h"
#include "tools/annotate/commands.h"
#include "tools/annotate/judgements.h"
#include "tools/annotate/records.h"

namespace compeer::annotate {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* agreement_help = R"(
FILE contains one JSON object per line: {"item": "d1-3", "annotator": "ann", "label": "True"}. Items, annotators and
labels are strings, numbers, true or false.
Agreement is computed over items that at least two annotators judged. Cohen's kappa requires two annotators; Fleiss'
kappa and Krippendorff's alpha allow any number, which may differ between items. Annotators who judged only items on
which others disagreed are excluded. With --order, disagreements are weighted by their distance: weighted kappas of two
annotators, ordinal and interval alphas. Intervals are 95 % bootstrap intervals over items.
Exit code 4 if nothing can be compared, or if the share of invalid lines exceeds --max-unreadable.)";

struct AgreementOptions {
  std::string file;
  bool as_json = false;
  size_t windows = 0;
  double max_unreadable = 0.01;
  std::vector<std::string> order;
  statistics::Resampling resampling;
};

struct Window {
  size_t from, to;  // range of items, from 1, in order of first appearance
  Agreement agreement;
};

// Everything that is printed.
struct Findings {
  const Judgements& judgements;
  std::vector<bool> adjudicators;
  Agreement whole;
  Adjudication adjudication;
  std::vector<Window> windows;
  std::vector<BadLine> bad;
};

std::string word(const json& line, const char* key) {
  if (!line.contains(key)) throw Error("", fmt::format("has no '{}'", key), "", Exit::data);
  const json& value = line.at(key);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  throw Error("", fmt::format("'{}' is neither a string nor a number", key), "", Exit::data);
}

std::vector<BadLine> read(const AgreementOptions& options, Judgements& judgements) {
  size_t lines = 0;
  const auto bad = read_lines(options.file, [&](json&& line, size_t) {
    const auto item = word(line, "item"), annotator = word(line, "annotator"), label = word(line, "label");
    judgements.add(item, annotator, label);
    ++lines;
  });
  if (lines + bad.size() == 0) throw Error(options.file, "contains no judgements", "", Exit::data);
  if (static_cast<double>(bad.size()) > options.max_unreadable * static_cast<double>(lines + bad.size()))
    refuse_bad_lines(options.file, bad);
  return bad;
}

std::vector<Window> windows(const Judgements& judgements, const std::vector<bool>& left_out,
                            const AgreementOptions& options, const Order* order) {
  const size_t items = judgements.items().size();
  if (options.windows > items)
    throw Error("--windows", fmt::format("{} windows are more than the {} items", options.windows, items),
                "use fewer windows", Exit::usage);
  std::vector<Window> result;
  for (size_t w = 0; w < options.windows; ++w) {
    const size_t from = w * items / options.windows, to = (w + 1) * items / options.windows;
    std::vector<size_t> rows;
    for (size_t item = from; item < to; ++item) rows.push_back(item);
    result.push_back({from + 1, to, agreement(judgements, left_out, rows, options.resampling, order)});
  }
  return result;
}

ordered_json findings_json(const Findings& found) {
  ordered_json result{{"items", found.judgements.items().size()}, {"judgements", found.judgements.size()}};
  result.update(to_json(found.whole));
  const auto judged = found.judgements.judged();
  for (size_t a = 0; a < judged.size(); ++a)
    result["annotators"].push_back({{"name", found.judgements.annotators()[a]},
                                    {"judged", judged[a]},
                                    {"only_disagreements", static_cast<bool>(found.adjudicators[a])}});
  const auto& a = found.adjudication;
  result["adjudication"] = {{"agreed", a.agreed},  {"disagreed", a.third + a.dropped + a.open},
                            {"by_third", a.third}, {"dropped", a.dropped},
                            {"open", a.open},      {"single", a.single}};
  result["windows"] = ordered_json::array();
  for (const auto& window : found.windows) {
    ordered_json one{{"from", window.from}, {"to", window.to}};
    one.update(to_json(window.agreement));
    result["windows"].push_back(one);
  }
  result["unreadable"] = ordered_json::array();
  for (const auto& bad : found.bad) result["unreadable"].push_back({{"line", bad.line}, {"reason", bad.reason}});
  return result;
}

void print_findings(const Findings& found) {
  const auto& judgements = found.judgements;
  const size_t items = judgements.items().size();
  std::cout << fmt::format("{} items, {} judgements, labels {}\n", items, judgements.size(),
                           fmt::join(judgements.labels(), ", "));
  const auto judged = judgements.judged();
  for (size_t a = 0; a < judged.size(); ++a) {
    const std::string of = judged[a] == items ? "all items" : fmt::format("{} of {} items", judged[a], items);
    std::cout << fmt::format(
        "  {} judged {}{}\n", judgements.annotators()[a], of,
        found.adjudicators[a] ? ", only items on which others disagree; excluded from the agreement" : "");
  }
  std::cout << fmt::format("agreement over {} items: observed {}, kappa {}\n", found.whole.n,
                           text(found.whole.observed), kappa_text(found.whole));
  for (const auto& line : more_text(found.whole)) std::cout << "  " << line << '\n';
  if (std::isnan(found.whole.fleiss.value)) std::cout << "kappa is undefined: all judgements have the same label\n";
  for (const auto& window : found.windows)
    std::cout << fmt::format("  items {} to {}: n {}, observed {}, kappa {}\n", window.from, window.to,
                             window.agreement.n, text(window.agreement.observed), kappa_text(window.agreement));
  const auto& a = found.adjudication;
  std::cout << fmt::format(
      "adjudication: {} agreed, {} settled by a third, {} dropped without a majority, {} still open, {} judged once\n",
      a.agreed, a.third, a.dropped, a.open, a.single);
}

int run(const AgreementOptions& options) {
  Judgements judgements;
  const auto bad = read(options, judgements);
  if (!bad.empty()) std::cerr << listed(options.file, bad) << '\n';
  const auto left_out = adjudicators(judgements);
  std::optional<Order> order;
  if (!options.order.empty()) order = order_of(judgements, options.order);
  const Order* in_order = order ? &*order : nullptr;
  Findings found{judgements,
                 left_out,
                 agreement(judgements, left_out, options.resampling, in_order),
                 adjudication(judgements, left_out),
                 windows(judgements, left_out, options, in_order),
                 bad};
  if (found.whole.n == 0)
    throw Error(options.file, "contains no item that two annotators judged",
                "add judgements of the same items by another annotator", Exit::data);
  if (options.as_json)
    std::cout << findings_json(found).dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  else
    print_findings(found);
  return 0;
}

}  // namespace

void add_agreement(CLI::App& command, std::function<int()>& action) {
  auto options = std::make_shared<AgreementOptions>();
  command.add_option("FILE", options->file, "judgements, one JSON object per line")->required();
  command.add_flag("--json", options->as_json, "as one JSON object");
  command
      .add_option("--windows", options->windows,
                  "also print the agreement over time: in N parts of the items, in order of appearance")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command.add_option("--order", options->order, "order of the labels: all of them, or 'numbers' if they are numbers")
      ->delimiter(',')
      ->type_name("LABEL,...");
  command.add_option("--max-unreadable", options->max_unreadable, "maximum share of invalid lines")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      .add_option("--resamples", options->resampling.resamples, "number of resamples for intervals; 0: no intervals")
      ->check(CLI::Range(0, 100000))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--seed", options->resampling.seed, "random seed of the resampling")
      ->type_name("S")
      ->capture_default_str();
  command.footer(agreement_help);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace compeer::annotate
