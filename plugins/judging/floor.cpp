#include "judging/floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "judging/form.h"

namespace compeer::judging {

namespace {

using nlohmann::json;

// What was found about the judge, by the stage that measured it.
json measured(const std::string& accuracy, const std::string& judge, const std::string& fingerprint) {
  const auto file = std::filesystem::path(accuracy) / "summary.json";
  const json summary = read_json_object(file);
  const auto stages =
      summary.contains("/details/stages"_json_pointer) ? summary.at("/details/stages"_json_pointer) : json();
  for (const json& stage : stages.is_array() ? stages : json::array()) {
    const json findings = stage.is_object() ? stage.value("findings", json()) : json();
    if (!findings.is_object()) continue;
    const json judges = findings.value("judges", json::array());
    if (std::find(judges.begin(), judges.end(), fingerprint) != judges.end()) return findings;
  }
  throw Error(file.string(), "has no accuracy of the judge " + judge,
              "measure it with the stage reward_accuracy, again if it was trained anew", Exit::data);
}

}  // namespace

void hold_to_floor(const std::string& accuracy, const std::string& judge, const std::string& fingerprint,
                   double floor) {
  const json findings = measured(accuracy, judge, fingerprint);
  for (size_t step = 0; step < step_names.size(); ++step) {
    const auto found =
        findings.value(json::json_pointer(fmt::format("/{}/false_recall/value", step_names[step])), json());
    if (!found.is_number() || found.get<double>() >= floor) continue;
    throw Error(judge,
                fmt::format("recall of wrong '{1}' steps is {0:.2f}, below least_recall = {2:.2f} (measured by {3})",
                            found.get<double>(), step_names[step], floor, accuracy),
                "teach the judge better, or set least_recall = 0: the policy will drift in what its judge can't see",
                Exit::spec);
  }
}

}  // namespace compeer::judging
