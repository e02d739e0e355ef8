#include "inference/speaker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "base/error.h"
#include "base/json.h"
#include "comm/phase.h"
#include "inference/interview.h"
#include "language/chat.h"
#include "language/stop_strings.h"
#include "plugin/open.h"
#include "plugin/search.h"
#include "rollout/engine.h"
#include "rollout/pass.h"

namespace compeer::inference {

namespace {

using nlohmann::json;

plugin::Plugin<Model> opened(const std::filesystem::path& folder, const plugin::Services& services) {
  const auto name = model_plugin_of(folder);
  const auto chosen = services.find("models", name);
  return plugin::open<Model>(
      chosen, plugin::whole_settings(chosen, {{"plugin", name}, {"path", folder.string()}, {"frozen", true}}),
      std::make_unique<plugin::RunHost>(chosen, services));
}

struct KeptTalk : Talk {
  explicit KeptTalk(Spoken all) : spoken(std::move(all)) {}
  std::unique_ptr<Talk> copy() const override { return std::make_unique<KeptTalk>(spoken); }

  Spoken spoken;
};

Spoken& own(Talk& talk) { return dynamic_cast<KeptTalk&>(talk).spoken; }

// The tokens that were at least so likely.
std::vector<int32_t> likely(const rollout::Sample& sample, double least) {
  std::vector<int32_t> tokens;
  for (size_t i = 0; i < sample.tokens.size(); ++i) {
    if (std::exp(static_cast<double>(sample.log_probs[i])) >= least) tokens.push_back(sample.tokens[i]);
  }
  return tokens;
}

class FolderSpeaker : public Speaker {
 public:
  FolderSpeaker(const std::filesystem::path& folder, const plugin::Services& services)
      : seed_(services.seed),
        tokenizer_(language::Tokenizer::load(folder)),
        chat_(tokenizer_),
        model_(opened(folder, services)),
        eyes_(folder, model_) {
    model_.call("head", [&](Model& model) { policy_ = std::make_unique<rollout::Policy>(model); });
    policy_->forward = [this](const Batch& batch, Cache* cache) {
      return model_.call("forward", [&](Model& model) { return model.forward(batch, cache); });
    };
    engine_ = std::make_unique<rollout::Engine>(*policy_);
    voice_.room = model_.object().shape().positions;
  }

  std::unique_ptr<Talk> begin(const std::vector<Turn>& turns) override {
    auto talk = std::make_unique<KeptTalk>(Spoken{{}, voice_.see(turns), engine_->conversation()});
    auto& lines = talk->spoken.lines;
    for (const Turn& turn : turns) lines.push_back(voice_.line(turn));
    if (turns.empty()) return talk;
    // The template may write a turn in another way once more is said, so only what stays the same is read.
    auto more = lines;
    more.push_back(voice_.line({"user", "?"}));
    auto now = voice_.prompt(lines, talk->spoken);
    const auto later = voice_.prompt(more, talk->spoken);
    now.erase(std::mismatch(now.begin(), now.end(), later.begin(), later.end()).first, now.end());
    if (!now.empty()) engine_->read({unread(now, talk->spoken)});
    return talk;
  }

  std::vector<Said> answer(const std::vector<Talk*>& talks, const std::vector<std::string>& texts,
                           const Manner& manner) override {
    std::vector<rollout::Prompt> prompts;
    for (size_t i = 0; i < talks.size(); ++i) {
      Spoken& talk = own(*talks[i]);
      if (!texts.at(i).empty()) talk.lines.push_back(voice_.line({"user", texts[i]}));
      prompts.push_back(unread(voice_.prompt(talk.lines, talk), talk));
    }
    std::vector<Said> all;
    auto samples = engine_->generate(prompts, request(manner));
    for (size_t i = 0; i < talks.size(); ++i) {
      const auto& sample = samples[i].front();
      own(*talks[i]).lines.push_back(voice_.line({"assistant", tokenizer_.decode(sample.tokens)}));
      all.push_back({tokenizer_.decode(likely(sample, manner.sure)), static_cast<int64_t>(sample.tokens.size()),
                     sample.finished});
    }
    return all;
  }

  std::vector<std::vector<Answered>> ask(const std::vector<Talk*>& talks,
                                         const std::vector<std::vector<Question>>& questions, const Manner& manner,
                                         bool weigh) override {
    Words words(voice_);
    std::deque<Interview> all;
    for (size_t i = 0; i < talks.size(); ++i)
      all.emplace_back(voice_, words, own(*talks[i]), questions.at(i), manner, weigh, talks.size() == 1);
    const auto sampling = request(manner).sampling;
    for (;;) {
      std::vector<Interview*> going;
      std::vector<rollout::Guess> guesses;
      for (Interview& one : all) {
        if (one.over()) continue;
        going.push_back(&one);
        guesses.push_back(one.next(seed_));
      }
      if (going.empty()) break;
      const auto choices = engine_->choose(guesses, sampling);
      for (size_t i = 0; i < going.size(); ++i) going[i]->take(choices[i]);
      comm::mark_progress();
    }
    std::vector<std::vector<Answered>> answers(talks.size());
    for (size_t i = 0; i < talks.size(); ++i) {
      for (const Said& said : all[i].said()) answers[i].push_back({said, {}});
    }
    if (weigh) this->weigh(all, questions, answers);
    return answers;
  }

 private:
  // Choices as whole answers, behind each question as it was asked.
  void weigh(std::deque<Interview>& all, const std::vector<std::vector<Question>>& questions,
             std::vector<std::vector<Answered>>& answers) {
    std::vector<rollout::Prompt> choices;
    std::vector<Answered*> whose;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t k = 0; k < questions[i].size(); ++k) {
        for (const auto& choice : questions[i][k].choices) {
          choices.push_back({0, chat_.answer(choice), nullptr, &all[i].beginning(k)});
          whose.push_back(&answers[i][k]);
        }
      }
    }
    rollout::Request request;
    request.sampling.concurrent = rollout::Pass::most_rows;  // most choices have a row or two
    const auto scores = engine_->score(choices, request);
    for (size_t i = 0; i < choices.size(); ++i)
      whose[i]->log_probs.push_back(std::accumulate(scores[i].begin(), scores[i].end(), 0.0));
  }

  // What the pages do not hold yet of these tokens.
  rollout::Prompt unread(const std::vector<int32_t>& all, Spoken& talk) const {
    voice_.check(all);
    const auto& old = talk.conversation.tokens();
    const auto same = std::mismatch(all.begin(), all.end(), old.begin(), old.end()).first - all.begin();
    const int64_t left = talk.conversation.keep(same);
    return {number_of(all), {all.begin() + left, all.end()}, voice_.look(all, left, talk), &talk.conversation};
  }

  rollout::Request request(const Manner& manner) const {
    rollout::Request request;
    request.sampling.greedy = manner.temperature == 0;
    if (!request.sampling.greedy) request.sampling.temperature = manner.temperature;
    request.sampling.max_new_tokens = manner.max_tokens;
    request.end_tokens = {tokenizer_.end()};
    request.seed = seed_;
    request.step = manner.draw;
    request.progress = [] { comm::mark_progress(); };
    if (!manner.stop.empty()) {
      request.stop = [this, &manner] {
        return [watch = language::StopStrings(tokenizer_, manner.stop)](int32_t id) mutable { return watch.push(id); };
      };
    }
    return request;
  }

  const uint64_t seed_;
  const language::Tokenizer tokenizer_;
  const language::Chat chat_;
  plugin::Plugin<Model> model_;
  const Eyes eyes_;
  std::unique_ptr<rollout::Policy> policy_;
  std::unique_ptr<rollout::Engine> engine_;
  Voice voice_{tokenizer_, chat_, eyes_, 0};
};

}  // namespace

std::string model_plugin_of(const std::filesystem::path& folder) {
  const auto file = folder / "config.json";
  const json config = read_json_object(file);
  if (!config.contains("model_type") || !config.at("model_type").is_string())
    throw Error(file.string(), "names no model_type", "a model folder has the layout that transformers writes",
                Exit::data);
  const auto name = config.at("model_type").get<std::string>();
  const auto known = plugin::Finder().names("models");
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Error(file.string(), "no plugin reads models of type '" + name + "'", suggest(name, known), Exit::data);
  return name;
}

std::unique_ptr<Speaker> open_speaker(const std::filesystem::path& folder, const plugin::Services& services) {
  return std::make_unique<FolderSpeaker>(folder, services);
}

Speaker& Speakers::in(const std::string& folder) {
  auto& speaker = open_[folder];
  if (!speaker) speaker = open_speaker(folder, services_);
  return *speaker;
}

}  // namespace compeer::inference
