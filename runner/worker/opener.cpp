#include "worker/opener.h"

#include <iostream>
#include <stdexcept>

#include "compeer/language_model.h"

namespace compeer::worker {

using nlohmann::json;

namespace {

class Speechless : public LanguageModel {
 public:
  std::unique_ptr<Conversation> begin(const std::vector<Turn>&) override { refuse(); }
  std::vector<Completion> answer(const std::vector<Conversation*>&, const std::vector<std::string>&,
                                 const SamplingParams&) override {
    refuse();
  }
  std::vector<std::vector<ScoredAnswer>> ask(const std::vector<Conversation*>&,
                                             const std::vector<std::vector<Question>>&, const SamplingParams&,
                                             bool) override {
    refuse();
  }
  std::vector<std::vector<float>> score(const std::vector<Conversation*>&, const std::vector<std::string>&) override {
    refuse();
  }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("no model is read before the run begins"); }
};

}  // namespace

Opener::Opener() : services_(inference::command_services()) {
  static Speechless speechless;
  services_.seed = 1;
  services_.find = [this](const std::string& kind, const std::string& name) {
    return inference::chosen(plugins_, kind, name);
  };
  services_.language_model = [](const std::string&) -> LanguageModel& { return speechless; };
}

void Opener::begin(const json& spec_file) {
  run_ = spec_file.at("spec").at("name").get<std::string>();
  plugins_ = spec_file.at("plugins");
}

plugin::Chosen Opener::announced(const std::string& kind, const json& table) const {
  const auto chosen = inference::chosen(plugins_, kind, table.at("plugin").get<std::string>());
  std::cout << json{{"opening", chosen.kind + "/" + chosen.name}, {"run", run_}}.dump() << std::endl;
  return chosen;
}

}  // namespace compeer::worker
