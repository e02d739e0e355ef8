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
      all.push_back({answer_(talk.past, texts[i], manner.draw), 1, true});
      talk.past += "? " + texts[i] + "\n= " + all.back().text + "\n";
    }
    return all;
  }

  std::vector<double> weigh(const Talk&, const std::string& text, const std::vector<std::string>& choices) override {
    if (!weights) throw std::logic_error("nobody asked for likelihoods");
    return weights(text, choices);
  }

  std::function<std::vector<double>(const std::string& text, const std::vector<std::string>& choices)> weights;
  int begun = 0;
  std::vector<std::string> asked;

 private:
  struct Held : Talk {
    std::unique_ptr<Talk> copy() const override { return std::make_unique<Held>(*this); }
    std::string past;
  };
  Answer answer_;
};

}  // namespace compeer::judging
