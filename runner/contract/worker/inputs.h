#pragma once
#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "compeer/scores.h"

namespace compeer::contract {

/// Texts of one sort. The first sort is the ordinary one; of each there are as many texts.
struct SampleTexts {
  std::string sort;  ///< "empty {}", "{} of 100,000 characters"
  std::vector<std::string> texts;
  /// "empty completions"
  std::string of(const std::string& things) const;
};
const std::vector<SampleTexts>& all_texts();

std::vector<Completion> completions(const std::vector<std::string>& texts);

/// A dialogue that is to be answered, as a dataset gives it, and as the record that stages get.
Example made_up_example(const std::string& id);
nlohmann::json made_up_record(const std::string& id);

/// Results, and what is given, as bytes.
std::string bytes(const at::Tensor& tensor);
std::string bytes(const Scores& scores);
std::string bytes(const std::vector<std::vector<double>>& rows);
std::string bytes(const std::vector<std::string>& texts);
std::string bytes(const Example& example);
std::string bytes(const std::vector<Completion>& completions);
std::string bytes(const std::vector<nlohmann::json>& records);

/// What `call` returns. Throws Error if it wrote into what it was given, for others get the same.
template <class Call, class... Given>
auto untouched(const Call& call, const Given&... given) {
  const auto before = (bytes(given) + ...);
  auto result = call();
  if ((bytes(given) + ...) != before)
    throw Error("", "wrote into what it was given", "others get the same: change a copy", Exit::plugin);
  return result;
}

}  // namespace compeer::contract
