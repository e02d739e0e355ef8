/// deduplicate: keeps the first of several records with the same dialogue. Dialogues are equal if the roles and texts
/// of all turns are, ignoring ASCII case, punctuation and white space.
#include <array>
#include <unordered_set>

#include "base/hash.h"
#include "compeer/plugin.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

// The character each byte is compared as; 0: ignored.
constexpr auto letters = [] {
  std::array<char, 256> table{};
  for (size_t c = 0; c < table.size(); ++c) {
    const bool large = c >= 'A' && c <= 'Z', small = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
    if (large || small || digit || c >= 0x80) table[c] = static_cast<char>(large ? c - 'A' + 'a' : c);
  }
  return table;
}();

// Appends the compared characters of `text` to `plain`.
void add_plain(const std::string& text, std::string& plain) {
  const size_t before = plain.size();
  plain.resize(before + text.size());
  char* at = plain.data() + before;
  for (const char c : text) {
    *at = letters[static_cast<unsigned char>(c)];
    at += *at != 0;
  }
  plain.resize(static_cast<size_t>(at - plain.data()));
}

class Deduplicate : public Stage {
 public:
  Deduplicate(const Settings&, Host&) {}

  bool needs_summaries() const override { return true; }

  std::string summary(const json& record) const override {
    return fingerprint(record) + record.at("id").get<std::string>();
  }

  void add_summary(const std::string& summary) override {
    if (!said_.insert(summary.substr(0, digits)).second) repeating_.insert(id_hash(summary.substr(digits)));
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes;
    for (const json& record : records) {
      const bool repeats = repeating_.contains(id_hash(record.at("id").get<std::string>()));
      outcomes.push_back(repeats ? stages::dropped("said before") : stages::unchanged());
    }
    return outcomes;
  }

 private:
  static constexpr size_t digits = 32;  // 128 bits: no collisions even among billions of records

  static uint64_t id_hash(const std::string& id) {
    const auto [a, b] = stages::random_address(id);
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

  std::unordered_set<std::string> said_;    // fingerprints of all records
  std::unordered_set<uint64_t> repeating_;  // id hashes of records that repeat an earlier one
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, deduplicate, Deduplicate, R"json(
  "version": "1.0.0",
  "summary": "Drops records with the same text as an earlier one.",
  "parameters": {})json")
