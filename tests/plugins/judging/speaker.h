#pragma once
#include <functional>
#include <stdexcept>

#include "compeer/speaker.h"

namespace compeer::judging {

/// A judge made of a function of all that was said before and the question; keeps what it was asked.
class Scripted : public Speaker {
 public:
  using Answer = std::function<std::string(const std::string& past, const std::string& question, uint32_t draw)>;
  explicit Scripted(Answer answer) : answer_(std::move(answer)) {}

  std::unique_ptr<Talk> begin(const std::vector<Turn>& turns) override {
    ++begun;
    auto talk = std::make_unique<Held>();
    for (const auto& turn : turns) talk->past += turn.role + ": " + turn.text + "\n";
    return talk;
  }

  std::vector<Said> answer(const std::vector<Talk*>& talks, const std::vector<std::string>& texts,
                           const Manner& manner) override {
    std::vector<Said> all;
    for (size_t i = 0; i < talks.size(); ++i) {
      auto& talk = dynamic_cast<Held&>(*talks[i]);
      asked.push_back(talk.past + "? " + texts[i]);
      sure.push_back(manner.sure);
      all.push_back({answer_(talk.past, texts[i], manner.draw), 1, true});
      talk.past += "? " + texts[i] + "\n= " + all.back().text + "\n";
    }
    return all;
  }

  std::vector<std::vector<Answered>> ask(const std::vector<Talk*>& talks,
                                         const std::vector<std::vector<Question>>& questions, const Manner& manner,
                                         bool weigh) override {
    if (weigh && !weights) throw std::logic_error("nobody asked for likelihoods");
    std::vector<std::vector<Answered>> all(talks.size());
    for (size_t i = 0; i < talks.size(); ++i) {
      for (const Question& question : questions[i]) {
        const auto log_probs = weigh ? weights(question.text, question.choices) : std::vector<double>();
        all[i].push_back({answer({talks[i]}, {question.text}, manner)[0], log_probs});
        guessed.push_back(question.choices.at(question.guess) + (question.sure ? "!" : "?"));
      }
    }
    return all;
  }

  std::function<std::vector<double>(const std::string& text, const std::vector<std::string>& choices)> weights;
  int begun = 0;
  std::vector<std::string> asked, guessed;
  std::vector<double> sure;  // how sure it had to be of what it answered

 private:
  struct Held : Talk {
    std::unique_ptr<Talk> copy() const override { return std::make_unique<Held>(*this); }
    std::string past;
  };
  Answer answer_;
};

}  // namespace compeer::judging
