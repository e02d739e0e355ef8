#include "worker/forecast.h"

#include <iostream>
#include <map>

#include "base/hash.h"
#include "base/plain_file.h"
#include "worker/records_ahead.h"
#include "worker/run_forecast.h"

namespace compeer::worker {

namespace {

using nlohmann::json;

/// Runs in their order; each may read what those before it will make.
class Plan {
 public:
  // A forecast, or {"as": the name of a run whose forecast is the same}.
  json add(const json& spec_file, const std::string& folder) {
    const json& spec = spec_file.at("spec");
    const auto key = alike(spec);
    const auto known = forecasts_.find(key);
    const bool is_new = known == forecasts_.end();
    if (is_new) forecasts_[key] = run_forecast(spec_file, records_before(spec), models_);
    models_[folder] = spec.value("model", json());
    made_[folder] = key;
    if (!is_new) return {{"as", names_.at(key)}};
    names_[key] = spec.at("name");
    return forecasts_.at(key);
  }

 private:
  json records_before(const json& spec) const {
    const json& dataset = spec.at("dataset");
    json files = dataset.value("more", json::array()), before;
    files.insert(files.begin(), dataset.value("path", json()));
    for (const json& file : files) {
      const auto* maker = file.is_string() ? maker_of(file.get<std::string>()) : nullptr;
      const json made = maker ? forecasts_.at(*maker).value("records", json()) : json();
      if (!made.is_null()) before = before.is_null() ? made : to_json(joined(from_json(before), from_json(made)));
    }
    return before;
  }

  const std::string* maker_of(const std::string& path) const {
    for (const auto& [folder, key] : made_) {
      if (path.starts_with(folder + "/")) return &key;
    }
    return nullptr;
  }

  // The same for runs that differ by name and seed, and by whose files they read, where those are alike.
  std::string alike(json spec) const {
    for (const char* key : {"name", "seed", "inputs"}) spec.erase(key);
    name_makers(spec);
    return sha256(spec.dump());
  }

  void name_makers(json& values) const {
    for (auto& value : values) {
      if (value.is_structured()) name_makers(value);
      if (!value.is_string()) continue;
      if (const auto* maker = maker_of(value.get<std::string>())) value = *maker;
    }
  }

  std::map<std::string, json> forecasts_;     // by what is alike
  std::map<std::string, std::string> made_;   // folder: that
  std::map<std::string, std::string> names_;  // of the first run of each
  json models_ = json::object();              // tables by folder
};

}  // namespace

int forecast(const json& options) {
  const auto runs = json::parse(read_plain_file(options.at("input").get<std::string>(), 1 << 30));
  Plan plan;
  json all = json::array();
  for (const json& run : runs) all.push_back(plan.add(run.at("file"), run.at("folder").get<std::string>()));
  std::cout << json{{"forecasts", all}}.dump() << std::endl;
  return 0;
}

}  // namespace compeer::worker
