// Checks of classification scores, agreement of raters, correlations and k-means.
#include <algorithm>
#include <map>

#include "base/json.h"
#include "statistics/agreement.h"
#include "statistics/classification.h"
#include "statistics/correlation.h"
#include "statistics/kmeans.h"
#include "tools/verify/values.h"

namespace compeer::verify {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using statistics::ContingencyTable;
using statistics::DisagreementWeights;
using statistics::Labels;

constexpr double metrics_error = 1e-7;  // the tolerance of all float64 tables

// The largest difference of each quantity over all cases of a file.
class Differences {
 public:
  void compare(const std::string& name, double ours, const json& reference) {
    Largest& largest = largest_[name];
    if (reference.is_null())
      largest.take(std::isnan(ours) ? 0 : 1);  // undefined values
    else
      largest.compare(ours, reference.get<double>());
  }
  void compare(const std::string& name, const ContingencyTable& ours, const json& reference) {
    largest_[name].take(ours == reference.get<ContingencyTable>() ? 0 : 1);
  }
  std::vector<Check> checks() const {
    std::vector<Check> checks;
    for (const auto& [name, largest] : largest_) checks.push_back(largest.check(name, metrics_error));
    return checks;
  }

 private:
  std::map<std::string, Largest> largest_;
};

Labels numbers(const json& words, const json& labels) {
  Labels result;
  for (const json& word : words) {
    const auto found = std::find(labels.begin(), labels.end(), word);
    if (found == labels.end()) throw Error("labels", "lack " + word.dump(), "", Exit::data);
    result.push_back(static_cast<size_t>(found - labels.begin()));
  }
  return result;
}

void compare_classes(Differences& differences, const statistics::ClassScores& ours, const json& one) {
  const auto all = [&](const std::string& name, auto value) {
    const json& reference = one.at(name);
    if (reference.size() != ours.classes.size()) throw Error(name, "differs in length from labels", "", Exit::data);
    for (size_t k = 0; k < reference.size(); ++k) differences.compare(name, value(k), reference[k]);
  };
  all("precision", [&](size_t k) { return ours.classes[k].precision; });
  all("recall", [&](size_t k) { return ours.classes[k].recall; });
  all("f1", [&](size_t k) { return ours.classes[k].f1; });
  all("support", [&](size_t k) { return static_cast<double>(ours.support[k]); });
  differences.compare("f1_micro", ours.micro.f1, one.at("f1_micro"));
  differences.compare("f1_macro", ours.macro.f1, one.at("f1_macro"));
  differences.compare("f1_weighted", ours.weighted.f1, one.at("f1_weighted"));
}

void compare_multiclass(Differences& differences, const json& one) {
  const json& labels = one.at("labels");
  const auto table =
      statistics::confusion(numbers(one.at("truth"), labels), numbers(one.at("predicted"), labels), labels.size());
  const auto ours = statistics::classification(table);
  compare_classes(differences, ours, one);
  differences.compare("confusion", table, one.at("confusion"));
  differences.compare("accuracy", ours.accuracy, one.at("accuracy"));
  differences.compare("recall_of_first_label", ours.classes.at(0).recall, one.at("recall_of_first_label"));
  differences.compare("balanced_accuracy_present", ours.balanced_accuracy, one.at("balanced_accuracy_present"));
  differences.compare("matthews", ours.matthews, one.at("matthews"));
}

// Returns [[true negatives, false positives], [false negatives, true positives]] of one label.
ContingencyTable of_label(const ContingencyTable& truth, const ContingencyTable& predicted, size_t label) {
  Labels first, second;
  for (const auto& item : truth) first.push_back(item.at(label));
  for (const auto& item : predicted) second.push_back(item.at(label));
  return statistics::confusion(first, second, 2);
}

void compare_multilabel(Differences& differences, const json& one) {
  const auto truth = one.at("truth").get<ContingencyTable>(), predicted = one.at("predicted").get<ContingencyTable>();
  if (truth.size() != predicted.size()) throw Error("predicted", "is not as long as truth", "", Exit::data);
  const auto ours = statistics::multi_label(truth, predicted);
  compare_classes(differences, ours, one);
  differences.compare("subset_accuracy", ours.subset_accuracy, one.at("subset_accuracy"));
  differences.compare("hamming_loss", ours.hamming_loss, one.at("hamming_loss"));
  differences.compare("f1_samples", ours.f1_samples, one.at("f1_samples"));
  for (size_t k = 0; k < one.at("confusion_per_label").size(); ++k)
    differences.compare("confusion_per_label", of_label(truth, predicted, k), one.at("confusion_per_label")[k]);
}

void compare_cohen(Differences& differences, const json& one) {
  const auto first = one.at("first").get<Labels>(), second = one.at("second").get<Labels>();
  if (first.size() != second.size()) throw Error("second", "is not as long as first", "", Exit::data);
  const auto table = statistics::confusion(first, second, one.at("categories"));
  differences.compare("cohen", statistics::cohen(table), one.at("kappa"));
  differences.compare("cohen, linear", statistics::cohen(table, DisagreementWeights::linear), one.at("linear"));
  differences.compare("cohen, quadratic", statistics::cohen(table, DisagreementWeights::quadratic),
                      one.at("quadratic"));
}

void compare_fleiss(Differences& differences, const json& one) {
  const auto table = one.at("table").get<ContingencyTable>();
  differences.compare("fleiss", statistics::fleiss(table), one.at("kappa"));
  differences.compare("randolph", statistics::randolph(table), one.at("randolph"));
}

// Reads a file and compares its cases. Errors in the file (missing values, labels out of range) name the file.
template <class Compare>
std::vector<Check> compared(const fs::path& file, Compare compare) {
  const json cases = read_strict_json(file, largest_reference);
  Differences differences;
  try {
    reading(file, [&] { compare(differences, cases); });
  } catch (const std::out_of_range&) {
    throw Error(file.string(), "contains a label out of range, or lists of different lengths", "", Exit::data);
  }
  return differences.checks();
}

void compare_kmeans(Differences& differences, const json& points, const json& run) {
  const auto data = points.get<statistics::Points>(), centres = run.at("centres").get<statistics::Points>();
  const auto ours = statistics::lloyd(data, run.at("init").get<statistics::Points>());
  if (centres.size() != ours.centres.size()) throw Error("centres", "are not as many as init", "", Exit::data);
  for (size_t c = 0; c < centres.size(); ++c) {
    for (size_t d = 0; d < centres[c].size(); ++d) differences.compare("centres", ours.centres[c].at(d), centres[c][d]);
  }
  differences.compare("labels", ContingencyTable{ours.labels}, json::array({run.at("labels")}));
  differences.compare("inertia", ours.inertia, run.at("inertia"));
  differences.compare("iterations", static_cast<double>(ours.iterations), run.at("iterations"));
  differences.compare("silhouette", statistics::silhouette(data, ours.labels), run.at("silhouette"));
}

}  // namespace

std::vector<Check> verify_kmeans(const fs::path& file, const VerifyOptions&) {
  return compared(file, [](Differences& differences, const json& cases) {
    for (const json& run : cases.at("runs")) compare_kmeans(differences, cases.at("points"), run);
  });
}

std::vector<Check> verify_classification(const fs::path& file, const VerifyOptions&) {
  return compared(file, [](Differences& differences, const json& cases) {
    for (const json& one : cases.at("multiclass")) compare_multiclass(differences, one);
    for (const json& one : cases.at("multilabel")) compare_multilabel(differences, one);
  });
}

std::vector<Check> verify_agreement(const fs::path& file, const VerifyOptions&) {
  return compared(file, [](Differences& differences, const json& cases) {
    for (const json& one : cases.at("cohen")) compare_cohen(differences, one);
    for (const json& one : cases.at("fleiss")) compare_fleiss(differences, one);
  });
}

std::vector<Check> verify_correlation(const fs::path& file, const VerifyOptions&) {
  return compared(file, [](Differences& differences, const json& cases) {
    for (const json& one : cases) {
      const auto x = one.at("x").get<std::vector<double>>(), y = one.at("y").get<std::vector<double>>();
      if (x.size() != y.size()) throw Error("y", "is not as long as x", "", Exit::data);
      differences.compare("pearson", statistics::pearson(x, y), one.at("pearson"));
      differences.compare("spearman", statistics::spearman(x, y), one.at("spearman"));
      differences.compare("kendall_tau_b", statistics::kendall(x, y), one.at("kendall_tau_b"));
    }
  });
}

}  // namespace compeer::verify
