// A dataset plugin that violates the interface in the way that its setting `act` names.
#include "compeer/dataset.h"
#include "compeer/plugin.h"

namespace {

using namespace compeer;

class Faulty : public Dataset {
 public:
  Faulty(const Settings& settings, Host&) : act_(settings.text("act")) {}

  int64_t size(const std::string& split) const override {
    if (act_ == "any split" && split.size() > 5) return 3;  // not train, valid or test
    return split == "train" ? 10 : 0;
  }

  Example get(const std::string&, int64_t index) override {
    Example example;
    example.id = act_ == "one id" ? "the same" : std::to_string(act_ == "next" ? next_++ : index);
    example.history = {{act_ == "odd role" ? "robot" : "user", "hello"}};
    if (act_ == "bytes") example.answer = "\xff";
    return example;
  }

 private:
  std::string act_;
  int next_ = 0;
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, faulty, Faulty, R"json(
  "version": "1.0.0", "summary": "Faulty.", "parameters": {"act": {"type": "string", "default": "well"}})json")
