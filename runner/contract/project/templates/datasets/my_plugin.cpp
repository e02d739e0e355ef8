// my_plugin: sums of two numbers. To learn from, those of different numbers; to be tested on, those of a number with
// itself.
#include <compeer/dataset.h>
#include <compeer/plugin.h>

namespace {

class MyPlugin : public compeer::Dataset {
 public:
  // Every key of the descriptor below is there, in its type and range. Throw anything to refuse: the message reaches
  // the user.
  MyPlugin(const compeer::Settings& settings, compeer::Host&) : limit_(settings.integer("limit")) {}

  int64_t size(const std::string& split) const override {
    if (split == "train") return limit_ * (limit_ - 1);
    return split == "test" ? limit_ : 0;
  }

  // Asked for in any order, on any rank: a record is made or read when it is wanted, never "the next one".
  compeer::Example get(const std::string& split, int64_t index) override {
    const int64_t a = split == "test" ? index : index / (limit_ - 1), other = index % (limit_ - 1);
    const int64_t b = split == "test" ? index : other + (other >= a);
    compeer::Example example;
    example.id = "my_plugin/" + std::to_string(a) + "+" + std::to_string(b);      // stable: groups are known by it
    example.history = {{"user", std::to_string(a) + " + " + std::to_string(b)}};  // ends with what is to be answered
    example.answer = std::to_string(a + b);                                       // what supervised training learns
    example.record = {{"sum", a + b}};  // for rewards, which know what it means
    return example;
  }

 private:
  int64_t limit_;
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, my_plugin, MyPlugin, R"json(
  "version": "1.0.0",
  "summary": "Sums of two numbers.",
  "parameters": {
    "limit": {"type": "integer", "default": 10, "min": 2, "max": 1000, "help": "numbers are below this"}
  })json")
