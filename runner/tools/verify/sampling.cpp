// Checks the filters of next-token distributions.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/json.h"
#include "rollout/sampling.h"
#include "tools/verify/verify.h"

namespace compeer::verify {

namespace {

using nlohmann::json;

constexpr double probability_error = 1e-6;  // for probabilities; logits are float32

rollout::Sampling settings_of(const json& settings) {
  rollout::Sampling sampling;
  for (const auto& [key, value] : settings.items()) {
    if (key == "temperature")
      sampling.temperature = value;
    else if (key == "top_k")
      sampling.top_k = value;
    else if (key == "top_p")
      sampling.top_p = value;
    else if (key == "min_p")
      sampling.min_p = value;
    else if (key == "repetition_penalty")
      sampling.repetition_penalty = value;
    else
      throw Error("settings", "contain '" + key + "', which is not a supported filter", "", Exit::data);
  }
  return sampling;
}

std::vector<int32_t> distinct(std::vector<int32_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::string name_of(const json& one) {
  std::string name = one.at("settings").empty() ? "no filter" : "";
  for (const auto& [key, value] : one.at("settings").items())
    name += (name.empty() ? "" : ", ") + key + " " + value.dump();
  return name + ", row " + one.at("row").dump();
}

// Returns probabilities by id, without tokens of probability 0.
std::map<int32_t, double> distribution(const json& file, const json& one) {
  const auto row = one.at("row").get<size_t>();
  auto logits = file.at("logits").at(row).get<std::vector<float>>();
  const auto seen = distinct(file.at("context").at(row).get<std::vector<int32_t>>());
  const auto vocabulary = static_cast<int64_t>(logits.size());
  for (const int32_t id : seen) {
    if (id < 0 || id >= vocabulary) throw Error("context", "has ids outside the vocabulary", "", Exit::data);
  }
  const auto kept =
      rollout::Sampler(settings_of(one.at("settings")), vocabulary).filtered_distribution(logits.data(), seen);
  std::map<int32_t, double> result;
  for (size_t i = 0; i < kept.ids.size(); ++i) {
    if (kept.probabilities[i] > 0) result[kept.ids[i]] = kept.probabilities[i];
  }
  return result;
}

// Returns the largest difference of a listed probability. If several tokens tie at the cut-off, any of them may be
// kept: a listed token that is not kept may be matched by another one with the same logit, each only once.
double difference(const json& file, const json& one, std::map<int32_t, double> ours) {
  const auto& logits = file.at("logits").at(one.at("row").get<size_t>());
  const auto ids = one.at("ids").get<std::vector<int32_t>>();
  const auto expected = one.at("probabilities").get<std::vector<double>>();
  double largest = 0;
  std::vector<size_t> missing;
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto found = ours.find(ids[i]);
    if (found == ours.end()) {
      missing.push_back(i);
    } else {
      largest = std::max(largest, std::abs(found->second - expected.at(i)));
      ours.erase(found);
    }
  }
  for (const size_t i : missing) {
    const auto twin = std::find_if(ours.begin(), ours.end(), [&](const auto& other) {
      return logits.at(static_cast<size_t>(other.first)) == logits.at(static_cast<size_t>(ids[i]));
    });
    largest = std::max(largest, twin == ours.end() ? expected.at(i) : std::abs(twin->second - expected.at(i)));
    if (twin != ours.end()) ours.erase(twin);
  }
  return largest;
}

}  // namespace

std::vector<Check> verify_sampling(const std::filesystem::path& path, const VerifyOptions&) {
  const json file = read_json_object(path, largest_reference);
  std::vector<Check> checks;
  try {
    for (const json& one : file.at("cases")) {
      const auto ours = distribution(file, one);
      const auto wanted = one.at("kept").get<double>(), found = static_cast<double>(ours.size());
      checks.push_back(check("kept: " + name_of(one), std::abs(found - wanted), 0));
      checks.push_back(check("probabilities: " + name_of(one), difference(file, one, ours), probability_error));
    }
  } catch (const json::exception& error) {
    throw Error(path.string(), std::string("is invalid: ") + error.what(), "", Exit::data);
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.where(), error.problem(), error.help(), Exit::data);
  }
  return checks;
}

}  // namespace compeer::verify
