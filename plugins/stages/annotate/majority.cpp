// The common judgement of several annotators.
#include "stages/annotate/majority.h"

namespace compeer::stages {

namespace {

// Returns a label that occurs twice, or nothing.
template <class Label>
std::optional<Label> common(const std::vector<Label>& labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (labels[i] == labels[j]) return labels[i];
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Annotation> majority(const std::vector<Annotation>& all) {
  Annotation judgement;
  for (size_t step = 0; step < judgement.steps.size(); ++step) {
    std::vector<char> labels;
    for (const Annotation& one : all) labels.push_back(one.steps[step]);
    const auto label = common(labels);
    if (!label) return std::nullopt;
    judgement.steps[step] = *label;
  }
  std::vector<empathy::Preference> preferences;
  for (const Annotation& one : all) preferences.push_back(one.preference);
  const auto preference = common(preferences);
  if (!preference) return std::nullopt;
  judgement.preference = *preference;
  return judgement;
}

}  // namespace compeer::stages
