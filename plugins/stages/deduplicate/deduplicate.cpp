/// deduplicate: of records that say the same, the first stays. The same: equal texts of all turns once letters are
/// small and all but letters, digits and characters beyond ASCII is gone; who says what counts.
#include <array>
#include <unordered_map>

#include "base/hash.h"
#include "compeer/plugin.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

void add_plain(const std::string& text, std::string& plain) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c >= 'A' && c <= 'Z') {
      plain += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || byte >= 0x80) {
      plain += c;
    }
  }
}

class Deduplicate : public Stage {
 public:
  Deduplicate(const Settings&, Host&) {}

  bool surveys() const override { return true; }

  std::string glimpse(const json& record) const override {
    return fingerprint(record) + record.at("id").get<std::string>();
  }

  void survey(const std::string& glimpse) override {
    first_.try_emplace(glimpse.substr(0, digits), id_hash(glimpse.substr(digits)));
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes;
    for (const json& record : records) {
      const bool first = first_.at(fingerprint(record)) == id_hash(record.at("id").get<std::string>());
      outcomes.push_back(first ? stages::unchanged() : stages::dropped("said before"));
    }
    return outcomes;
  }

 private:
  static constexpr size_t digits = 32;  // 128 bits: among billions of records no two differ and meet

  static uint64_t id_hash(const std::string& id) {
    const auto [a, b] = stages::place_of(id);
    return static_cast<uint64_t>(a) << 32 | b;
  }

  static std::string fingerprint(const json& record) {
    std::string plain;
    for (const Turn& turn : stages::turns_of(record)) {
      plain += turn.role + ":";
      add_plain(turn.text, plain);
      plain += "\n";
    }
    return sha256(plain).substr(0, digits);
  }

  std::unordered_map<std::string, uint64_t> first_;  // by what it says: who said it first
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, deduplicate, Deduplicate, R"json(
  "version": "1.0.0",
  "summary": "Drops records that say what an earlier one says.",
  "parameters": {})json")
