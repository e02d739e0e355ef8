// my_plugin: texts are similar if they use the same letters with the same frequencies: the cosine of their byte counts,
// without white space.
#include <compeer/plugin.h>
#include <compeer/similarity.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace {

using Counts = std::array<double, 256>;

double product(const Counts& a, const Counts& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

class MyPlugin : public compeer::Similarity {
 public:
  // Every key of the descriptor below is present, with a valid type and range. Any exception rejects the settings; its
  // message is shown to the user.
  explicit MyPlugin(const compeer::Settings& settings) : capitals_(settings.flag("capitals")) {}

  std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                           const std::vector<std::string>& b) override {
    std::vector<std::vector<double>> cosines;
    const auto rows = counts(a), columns = counts(b);
    for (const auto& x : rows) {
      auto& row = cosines.emplace_back();
      for (const auto& y : columns) {
        const double scale = std::sqrt(product(x, x) * product(y, y));
        row.push_back(scale > 0 ? std::min(product(x, y) / scale, 1.0) : 0.0);  // 0 for a text without content
      }
    }
    return cosines;
  }

 private:
  std::vector<Counts> counts(const std::vector<std::string>& texts) const {
    std::vector<Counts> all(texts.size(), Counts{});
    for (size_t i = 0; i < texts.size(); ++i) {
      for (const unsigned char byte : texts[i]) {
        if (!std::isspace(byte)) ++all[i][capitals_ ? byte : static_cast<unsigned char>(std::tolower(byte))];
      }
    }
    return all;
  }

  bool capitals_;
};

}  // namespace

COMPEER_PLUGIN(Similarity, similarity, my_plugin, MyPlugin, R"json(
  "version": "1.0.0",
  "summary": "Cosine of how often each letter occurs.",
  "parameters": {
    "capitals": {"type": "boolean", "default": false, "help": "count capitals and small letters separately"}
  })json")
