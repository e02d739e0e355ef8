// A stage plugin that violates the interface in the way that its setting `act` names.
#include "compeer/stage.h"
#include "base/error.h"
#include "compeer/plugin.h"

namespace {

using namespace compeer;

class Faulty : public Stage {
 public:
  Faulty(const Settings& settings, Host&) : act_(settings.text("act")) {}

  std::vector<Outcome> make(const std::vector<nlohmann::json>& records) override {
    if (act_ == "other records" && !records.empty())
      throw Error("record '" + records[0].at("id").get<std::string>() + "'", "has no pulse", "", Exit::data);
    std::vector<Outcome> outcomes;
    for (const auto& record : records) {
      Outcome outcome;
      outcome.records = {record};
      if (act_ == "company") outcome.records[0]["company"] = records.size();
      if (act_ == "count") outcome.counts["records"] = static_cast<double>(records.size());
      outcomes.push_back(outcome);
    }
    if (act_ == "lose one" && !outcomes.empty()) outcomes.pop_back();
    return outcomes;
  }

  nlohmann::json findings(const std::map<std::string, double>&) const override {
    return act_ == "list" ? nlohmann::json::array() : nlohmann::json::object();
  }

 private:
  std::string act_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, faulty, Faulty, R"json(
  "version": "1.0.0", "summary": "Faulty.", "parameters": {"act": {"type": "string", "default": "well"}})json")
