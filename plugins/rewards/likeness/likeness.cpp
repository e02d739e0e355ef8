// The cosine similarity of a reply to the reference's reply. Column `group`: mean similarity to the other replies of
// the group, from which redundancy is computed.

#include "compeer/plugin.h"
#include "compeer/reward.h"
#include "compeer/similarity.h"
#include "empathy/format.h"

namespace {

using namespace compeer;

class Likeness : public Reward {
 public:
  Likeness(const Settings& settings, Host& host) : similarity_(host.similarity(settings.table("similarity"))) {}

  Scores score(const Group& group) override {
    std::vector<std::string> replies;
    for (const Completion& one : group.completions) replies.push_back(empathy::reply_of(one.text));
    const auto to_reference = similarity_.compare(replies, {empathy::reply_of(group.example.answer)});
    const auto to_others = similarity_.compare(replies, replies);
    Scores scores;
    for (size_t i = 0; i < replies.size(); ++i) {
      double sum = 0;
      for (size_t k = 0; k < replies.size(); ++k) sum += k == i ? 0 : to_others[i][k];
      const double others = replies.size() > 1 ? sum / static_cast<double>(replies.size() - 1) : 0;
      scores.add({{"reference", to_reference[i][0]}, {"group", others}});
    }
    return scores;
  }

 private:
  Similarity& similarity_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, likeness, Likeness, R"json(
  "version": "1.0.0",
  "summary": "Similarity of a reply to the reference's, and to the others of its group.",
  "columns": ["reference", "group"],
  "parameters": {
    "similarity": {"type": "plugin", "kind": "similarity", "default": "hashed_ngrams",
      "help": "measure of similarity; sentence_encoder compares meanings"}
  })json")
