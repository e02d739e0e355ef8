/// encoder_baseline: answers the questions of judges with a sentence encoder and logistic regression, for comparison:
/// which emotion and strategy people named (as label_choice), and which reply they rate higher (as human_agreement).
/// Trained on the training records of a data set by human_labels. Adds its answers to records as "judged".
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "compeer/plugin.h"
#include "corpora/json_records.h"
#include "sentence_encoder/encoder.h"
#include "stages/human_agreement/agreement.h"
#include "stages/human_labels/labels.h"
#include "stages/label_choice/choices.h"
#include "stages/records.h"
#include "statistics/logistic.h"

namespace {

using namespace compeer;
using nlohmann::json;
using stages::LabelChoices;
using Features = std::vector<double>;

// Sentence embeddings normalized to length 1, computed once for each text.
class Embeddings {
 public:
  Embeddings(const std::string& folder, Host& host) : encoder_(folder), host_(host) {}

  // Computes the embeddings that are missing, in batches.
  void add(const std::vector<std::string>& texts) {
    std::vector<std::string> fresh;
    for (const std::string& text : texts) {
      if (known_.try_emplace(text).second) fresh.push_back(text);
    }
    constexpr size_t at_once = 64;
    for (size_t at = 0; at < fresh.size(); at += at_once) {
      const std::vector<std::string> some(fresh.begin() + static_cast<int64_t>(at),
                                          fresh.begin() + static_cast<int64_t>(std::min(at + at_once, fresh.size())));
      host_.cancelled();  // throws if the run is to stop, and reports progress
      const auto vectors = encoder_.embed(some);
      for (size_t i = 0; i < some.size(); ++i) known_[some[i]] = unit(vectors[i]);
    }
  }

  const Features& of(const std::string& text) const { return known_.at(text); }

 private:
  static Features unit(const std::vector<float>& vector) {
    Features all(vector.begin(), vector.end());
    const double length = std::sqrt(std::inner_product(all.begin(), all.end(), all.begin(), 0.0));
    for (double& x : all) x = length > 0 ? x / length : 0;
    return all;
  }

  sentence_encoder::Encoder encoder_;
  Host& host_;
  std::unordered_map<std::string, Features> known_;
};

/// Logistic regression on features standardized to mean 0 and deviation 1 over the training rows.
class Classifier {
 public:
  Classifier(std::vector<Features> rows, const std::vector<size_t>& labels, size_t classes, Host& host)
      : mean_(rows.at(0).size()), scale_(mean_.size(), 1) {
    const auto n = static_cast<double>(rows.size());
    for (size_t i = 0; i < mean_.size(); ++i) {
      double square = 0;
      for (const auto& row : rows) mean_[i] += row[i] / n;
      for (const auto& row : rows) square += (row[i] - mean_[i]) * (row[i] - mean_[i]) / n;
      if (square > 0) scale_[i] = 1 / std::sqrt(square);
    }
    for (auto& row : rows) row = standardised(std::move(row));
    regression_.emplace(rows, labels, classes, best_strength(rows, labels, classes, host));
  }

  std::vector<double> log_probs(Features row) const { return regression_->log_probs(standardised(std::move(row))); }

 private:
  Features standardised(Features row) const {
    for (size_t i = 0; i < row.size(); ++i) row[i] = (row[i] - mean_[i]) * scale_[i];
    return row;
  }

  // Returns the regularization strength that best predicts every fifth row from the others.
  static double best_strength(const std::vector<Features>& rows, const std::vector<size_t>& labels, size_t classes,
                              Host& host) {
    std::vector<Features> learned;
    std::vector<size_t> their_labels;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i % 5 == 4) continue;
      learned.push_back(rows[i]);
      their_labels.push_back(labels[i]);
    }
    double best = 0, most = -std::numeric_limits<double>::infinity();
    for (const double strength : {1e-4, 1e-3, 1e-2, 1e-1}) {
      host.cancelled();
      const statistics::LogisticRegression regression(learned, their_labels, classes, strength);
      double likely = 0;
      for (size_t i = 4; i < rows.size(); i += 5) likely += regression.log_probs(rows[i])[labels[i]];
      if (likely > most) most = likely, best = strength;
    }
    return best;
  }

  Features mean_, scale_;
  std::optional<statistics::LogisticRegression> regression_;
};

class EncoderBaseline : public Stage {
 public:
  EncoderBaseline(const Settings& settings, Host& host)
      : host_(host),
        embeddings_(settings.text("encoder"), host),
        records_(settings.text("records")),
        rating_(settings.text("rating")),
        resampling_{static_cast<size_t>(settings.integer("resamples")), 1, 0.95} {}

  bool needs_summaries() const override { return true; }
  std::string summary(const json& record) const override { return choices_.summary(record); }
  void add_summary(const std::string& summary) override { choices_.add_summary(summary); }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    if (!replies_) learn();
    std::vector<Outcome> outcomes;
    for (const json& record : records) {
      embeddings_.add(texts_of(record));
      outcomes.push_back(answered(record));
    }
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    auto found = choices_.findings(counts, resampling_);
    const auto rated = stages::rated_dialogues(counts);
    if (!rated.empty()) found["replies"] = stages::agreements(rated, resampling_);
    return found;
  }

 private:
  // Returns all texts of a record that are embedded.
  static std::vector<std::string> texts_of(const json& record) {
    const auto turns = stages::spoken(stages::history_of(record));
    std::vector<std::string> all = {last_words(turns), record.at("candidates").at(0).at("reply"),
                                    record.at("reference")};
    for (const Turn& turn : turns) {
      if (turn.role == "user") all.push_back(turn.text);
    }
    return all;
  }

  static std::string last_words(const std::vector<Turn>& turns) {
    std::string text;
    for (size_t i = turns.size() - std::min<size_t>(turns.size(), 2); i < turns.size(); ++i)
      text += turns[i].text + "\n";
    return text;
  }

  // Features for labels: the embedding of the last two turns and the sum over the seeker's turns.
  Features of_dialogue(const json& record) const {
    const auto turns = stages::spoken(stages::history_of(record));
    Features all = embeddings_.of(last_words(turns)), seeker(all.size());
    for (const Turn& turn : turns) {
      if (turn.role != "user") continue;
      const auto& one = embeddings_.of(turn.text);
      std::transform(one.begin(), one.end(), seeker.begin(), seeker.begin(), std::plus<>());
    }
    all.insert(all.end(), seeker.begin(), seeker.end());
    return all;
  }

  // Features for a reply: its embedding, and its products and absolute differences with that of the last two turns.
  Features of_reply(const json& record, const std::string& reply) const {
    const auto& said = embeddings_.of(last_words(stages::spoken(stages::history_of(record))));
    Features all = embeddings_.of(reply);
    for (size_t i = 0; i < said.size(); ++i) {
      all.push_back(said[i] * all[i]);
      all.push_back(std::abs(said[i] - all[i]));
    }
    return all;
  }

  std::vector<json> training_records() const {
    std::vector<json> all;
    corpora::each_json_record(records_, [&](const corpora::RawRecord& raw) {
      json record = raw.problem.empty() ? json::parse(raw.bytes, nullptr, false) : json();
      if (record.is_object() && stages::is_right(record) && record.value("split", "train") == "train")
        all.push_back(std::move(record));
    });
    if (all.empty())
      throw Error(records_, "contains no record of the stage human_labels in the split train", "", Exit::data);
    return all;
  }

  void learn() {
    const auto records = training_records();
    std::vector<std::string> texts;
    for (const json& record : records) {
      for (auto& text : texts_of(record)) texts.push_back(std::move(text));
    }
    embeddings_.add(texts);
    std::vector<Features> dialogues, replies;
    std::vector<size_t> own;
    for (const json& record : records) {
      replies.push_back(of_reply(record, record.at("candidates").at(0).at("reply")));
      replies.push_back(of_reply(record, record.at("reference")));
      own.insert(own.end(), {1, 0});
      dialogues.push_back(of_dialogue(record));
    }
    host_.log(std::to_string(records.size()) + " training records are embedded; fitting the baseline");
    replies_.emplace(std::move(replies), own, 2, host_);
    for (size_t step = 0; step < LabelChoices::steps.size(); ++step) learn_labels(step, records, dialogues);
  }

  // Learns only labels that occur in the records to be answered.
  void learn_labels(size_t step, const std::vector<json>& records, const std::vector<Features>& dialogues) {
    const auto& all = choices_.labels(step);
    std::vector<Features> rows;
    std::vector<size_t> labels;
    for (size_t i = 0; i < records.size(); ++i) {
      const auto people = LabelChoices::people(records[i], LabelChoices::steps[step]);
      const auto at = people.empty() ? all.end() : std::find(all.begin(), all.end(), people[0]);
      if (at == all.end()) continue;
      rows.push_back(dialogues[i]);
      labels.push_back(static_cast<size_t>(at - all.begin()));
    }
    if (!rows.empty()) steps_.emplace(step, Classifier(std::move(rows), labels, all.size(), host_));
  }

  Outcome answered(json record) {
    Outcome outcome;
    json& judged = record["judged"] = json::object();
    if (stages::is_right(record)) {
      const auto features = of_dialogue(record);
      for (const auto& [step, classifier] : steps_) {
        auto likelihoods = classifier.log_probs(features);
        for (double& value : likelihoods) value = std::exp(value);
        choices_.choose(record, step, likelihoods, outcome);
      }
    }
    if (!stages::ratings_of(record, rating_).empty()) {
      const auto fits = [&](const json& reply) { return replies_->log_probs(of_reply(record, reply))[1]; };
      const double better = fits(record.at("candidates").at(0).at("reply")) - fits(record.at("reference"));
      judged["better"] = better;
      stages::count_rated(record, rating_, better, outcome);
    }
    if (judged.empty()) return stages::dropped("neither labels nor a rating by people");
    outcome.records.push_back(std::move(record));
    return outcome;
  }

  Host& host_;
  Embeddings embeddings_;
  const std::string records_, rating_;
  const statistics::Resampling resampling_;
  LabelChoices choices_;
  std::map<size_t, Classifier> steps_;
  std::optional<Classifier> replies_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, encoder_baseline, EncoderBaseline, R"json(
  "version": "1.0.0",
  "summary": "A baseline for judges of human labels and ratings: a sentence encoder and logistic regression.",
  "parameters": {
    "encoder": {"type": "path", "help": "folder of a BERT-class sentence encoder"},
    "records": {"type": "path",
      "help": "JSON lines written by the stage human_labels; the baseline trains on the split train"},
    "rating": {"type": "string", "default": "ratings", "help": "key of the ratings, as in the stage human_agreement"},
    "resamples": {"type": "integer", "default": 1000, "min": 0,
      "help": "bootstrap resamples for the intervals; 0: no intervals"}
  })json")
