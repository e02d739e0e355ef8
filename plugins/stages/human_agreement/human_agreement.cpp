/// human_agreement: measures whether a judge prefers the replies that people rate higher. Records need people's
/// ratings. The judge compares reply and reference twice, with each as the other's reference. Adds "judged" to records:
/// from -1 (the reference is better) to 1.
#include "compeer/plugin.h"
#include "stages/human_agreement/agreement.h"
#include "stages/judges.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

// Returns the record with reply and reference exchanged.
cer::Record exchanged(cer::Record record) {
  std::swap(record.reference, record.candidate.reply);
  return record;
}

class HumanAgreementStage : public Stage {
 public:
  HumanAgreementStage(const Settings& settings, Host& host)
      : judges_(settings, host),
        rating_(settings.text("rating")),
        resampling_{static_cast<size_t>(settings.integer("resamples")), 1, 0.95} {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes(records.size(), stages::dropped("no rating '" + rating_ + "'"));
    std::vector<cer::Record> pairs;
    std::vector<size_t> places;
    for (size_t i = 0; i < records.size(); ++i) {
      if (stages::ratings_of(records[i], rating_).empty()) continue;
      places.push_back(i);
      pairs.push_back(stages::parse_judged_record(records[i]));
      pairs.push_back(exchanged(pairs.back()));
    }
    const auto opinions = judges_.opinions(pairs);
    for (size_t k = 0; k < places.size(); ++k) {
      outcomes[places[k]] = rated(records[places[k]], opinions[2 * k], opinions[2 * k + 1]);
      for (const size_t order : {2 * k, 2 * k + 1}) judges_.count(opinions[order], outcomes[places[k]]);
    }
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    auto findings = stages::agreements(stages::rated_dialogues(counts), resampling_);
    findings["judges"] = judges_.fingerprints();
    findings["better"]["higher"] = {"spearman", "alpha", "same_side"};
    return findings;
  }

  std::string cache_key() const override { return json(judges_.fingerprints()).dump(); }

 private:
  Outcome rated(json record, const judging::Verdicts& opinion, const judging::Verdicts& exchanged) const {
    if (!opinion.reply || !exchanged.reply) return stages::dropped("unreadable judgement");
    const double better = (*opinion.reply - *exchanged.reply) / 2;
    Outcome outcome;
    stages::count_rated(record, rating_, better, outcome);
    record["judged"] = better;
    outcome.records.push_back(std::move(record));
    return outcome;
  }

  const stages::Judges judges_;
  const std::string rating_;
  const statistics::Resampling resampling_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, human_agreement, HumanAgreementStage,
               R"json(
  "version": "1.0.0",
  "summary": "Agreement of a judge of replies with people's ratings, compared with ranking by length.",
  "parameters": {
    "rating": {"type": "string", "default": "ratings",
      "help": "key of people's ratings: a list in a record's \"people\", or a label of the seeker's next turn"},)json" COMPEER_JUDGES_SETTINGS
               R"json(
  })json")
