// my_plugin: sums of two numbers. Training examples add different numbers, test examples add a number to itself.
#include <compeer/dataset.h>
#include <compeer/plugin.h>

namespace {

class MyPlugin : public compeer::Dataset {
 public:
  // Every key of the descriptor below is present, with a valid type and range. Any exception rejects the settings; its
  // message is shown to the user.
  MyPlugin(const compeer::Settings& settings, compeer::Host&) : limit_(settings.integer("limit")) {}

  int64_t size(const std::string& split) const override {
    if (split == "train") return limit_ * (limit_ - 1);
    return split == "test" ? limit_ : 0;
  }

  // Called for any index, in any order, on any rank: create or read the record here; don't rely on earlier calls.
  compeer::Example get(const std::string& split, int64_t index) override {
    const int64_t a = split == "test" ? index : index / (limit_ - 1), other = index % (limit_ - 1);
    const int64_t b = split == "test" ? index : other + (other >= a);
    compeer::Example example;
    example.id = "my_plugin/" + std::to_string(a) + "+" + std::to_string(b);      // stable: identifies the group
    example.history = {{"user", std::to_string(a) + " + " + std::to_string(b)}};  // ends with the turn to be answered
    example.answer = std::to_string(a + b);                                       // the target of supervised training
    example.record = {{"sum", a + b}};                                            // for rewards that use it
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
