#include "train/speaker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "comm/phase.h"
#include "language/chat.h"
#include "language/stop_strings.h"
#include "plugin/open.h"
#include "plugin/search.h"
#include "record/strict_json.h"
#include "rollout/engine.h"
#include "train/rollouts.h"

namespace compeer::train {

namespace {

using nlohmann::json;

plugin::Plugin<Model> opened(const std::filesystem::path& folder, const plugin::Services& services) {
  const auto name = model_plugin_of(folder);
  const auto chosen = services.find("models", name);
  return plugin::open<Model>(
      chosen, plugin::whole_settings(chosen, {{"plugin", name}, {"path", folder.string()}, {"frozen", true}}),
      std::make_unique<plugin::RunHost>(chosen, services));
}

// What was said, and its tokens in the engine's pages.
struct KeptTalk : Talk {
  KeptTalk(std::vector<Turn> said, rollout::Conversation pages)
      : turns(std::move(said)), conversation(std::move(pages)) {}
  std::unique_ptr<Talk> copy() const override { return std::make_unique<KeptTalk>(turns, conversation); }

  std::vector<Turn> turns;
  rollout::Conversation conversation;
};

const KeptTalk& own(const Talk& talk) { return dynamic_cast<const KeptTalk&>(talk); }
KeptTalk& own(Talk& talk) { return dynamic_cast<KeptTalk&>(talk); }

class FolderSpeaker : public Speaker {
 public:
  FolderSpeaker(const std::filesystem::path& folder, const plugin::Services& services)
      : seed_(services.seed),
        tokenizer_(language::Tokenizer::load(folder)),
        chat_(tokenizer_),
        model_(opened(folder, services)) {
    model_.call("head", [&](Model& model) { policy_ = std::make_unique<rollout::Policy>(model); });
    policy_->forward = [this](const Batch& batch, Cache* cache) {
      return model_.call("forward", [&](Model& model) { return model.forward(batch, cache); });
    };
    engine_ = std::make_unique<rollout::Engine>(*policy_);
    room_ = model_.object().shape().positions;
  }

  std::unique_ptr<Talk> begin(const std::vector<Turn>& turns) override {
    auto talk = std::make_unique<KeptTalk>(turns, engine_->conversation());
    // The template may write a turn in another way once more is said, so only what stays the same is read.
    auto more = turns;
    more.push_back({"user", "?"});
    const auto now = turns.empty() ? std::vector<int32_t>() : chat_.prompt(messages(turns)),
               later = chat_.prompt(messages(more));
    const auto same = std::mismatch(now.begin(), now.end(), later.begin(), later.end()).first;
    if (same != now.begin()) engine_->read({{0, {now.begin(), same}, nullptr, &talk->conversation}});
    return talk;
  }

  std::vector<Said> answer(const std::vector<Talk*>& talks, const std::vector<std::string>& texts,
                           const Manner& manner) override {
    std::vector<rollout::Prompt> prompts;
    for (size_t i = 0; i < talks.size(); ++i) {
      KeptTalk& talk = own(*talks[i]);
      talk.turns.push_back({"user", texts.at(i)});
      prompts.push_back(unread(talk.turns, talk.conversation));
    }
    std::vector<Said> all;
    auto samples = engine_->generate(prompts, request(manner));
    for (size_t i = 0; i < talks.size(); ++i) {
      const auto& sample = samples[i].front();
      const Said& said = all.emplace_back(
          Said{tokenizer_.decode(sample.tokens), static_cast<int64_t>(sample.tokens.size()), sample.finished});
      own(*talks[i]).turns.push_back({"assistant", said.text});
    }
    return all;
  }

  std::vector<double> weigh(const Talk& talk, const std::string& text,
                            const std::vector<std::string>& choices) override {
    auto turns = own(talk).turns;
    turns.push_back({"user", text});
    auto conversation = own(talk).conversation;
    engine_->read({unread(turns, conversation)});
    std::vector<rollout::Prompt> answers;
    for (const auto& choice : choices) answers.push_back({0, chat_.answer(choice), nullptr, &conversation});
    std::vector<double> sums;
    for (const auto& log_probs : engine_->score(answers)) {
      double sum = 0;
      for (const float value : log_probs) sum += static_cast<double>(value);
      sums.push_back(sum);
    }
    return sums;
  }

 private:
  // What the pages do not hold yet of these turns. Random numbers depend on all that was said.
  rollout::Prompt unread(const std::vector<Turn>& turns, rollout::Conversation& conversation) const {
    const auto all = chat_.prompt(messages(turns));
    if (static_cast<int64_t>(all.size()) >= room_)
      throw Error("speaker", fmt::format("a talk has {} tokens, its model has room for {}", all.size(), room_),
                  "shorten what is asked, or take a model with more positions", Exit::data);
    const auto& old = conversation.tokens();
    const auto same = std::mismatch(all.begin(), all.end(), old.begin(), old.end()).first - all.begin();
    const int64_t left = conversation.keep(same);
    return {number_of(all), {all.begin() + left, all.end()}, nullptr, &conversation};
  }

  static uint32_t number_of(const std::vector<int32_t>& tokens) {
    const auto hash = sha256({reinterpret_cast<const char*>(tokens.data()), tokens.size() * sizeof(int32_t)});
    return static_cast<uint32_t>(std::stoul(hash.substr(0, 8), nullptr, 16));
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
  std::unique_ptr<rollout::Policy> policy_;
  std::unique_ptr<rollout::Engine> engine_;
  int64_t room_ = 0;
};

}  // namespace

std::string model_plugin_of(const std::filesystem::path& folder) {
  const auto file = folder / "config.json";
  const json config = record::parse_strict_json(file, read_file(file));
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

}  // namespace compeer::train
