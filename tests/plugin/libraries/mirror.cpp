// A similarity plugin that requests itself (CIRCLE), needs a setting (NEEDY), returns values that can't be cosines
// (WILD), or one number too few (SHORT).
#include "compeer/plugin.h"
#include "compeer/similarity.h"

namespace {

using namespace compeer;

class Mirror : public Similarity {
 public:
  Mirror(const Settings& settings, Host& host) : value_(settings.number("value")) {
#ifdef CIRCLE
    host.similarity(Settings(nlohmann::json{{ "plugin", "mirror" }}));
#endif
    host.log("made with " + std::to_string(value_));
  }
  std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                           const std::vector<std::string>& b) override {
#ifdef SHORT
    return {a.size(), std::vector<double>(b.size() - 1, value_)};
#endif
    return {a.size(), std::vector<double>(b.size(), value_)};
  }

 private:
  double value_;
};

}  // namespace

#if defined(NEEDY)
#define VALUE R"json({"value": {"type": "number"}})json"
#elif defined(WILD)
#define VALUE R"json({"value": {"type": "number", "default": 1.5}})json"
#else
#define VALUE R"json({"value": {"type": "number", "default": 0.25}})json"
#endif

COMPEER_PLUGIN(Similarity, similarity, mirror, Mirror,
               R"json("version": "1.0.0", "summary": "Sees likeness.", "parameters": )json" VALUE)
