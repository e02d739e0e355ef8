#include "language/pattern.h"

#include <string_view>

#include "base/error.h"

namespace compeer::language {

namespace {

constexpr const char* kSpace = R"(\t-\r\x{85}\p{Z})";

// Assigned in Unicode 15 to 16.
constexpr const char* kLetters =
    R"(\p{L}\x{1C89}\x{1C8A}\x{A7CB}-\x{A7CD}\x{A7DA}-\x{A7DC}\x{105C0}-\x{105F3}\x{10D4A}-\x{10D65})"
    R"(\x{10D6F}-\x{10D85}\x{10EC2}-\x{10EC4}\x{1123F}\x{11240}\x{11380}-\x{11389}\x{1138B}\x{1138E})"
    R"(\x{11390}-\x{113B5}\x{113B7}\x{113D1}\x{113D3}\x{11BC0}-\x{11BE0}\x{11F02}\x{11F04}-\x{11F10})"
    R"(\x{11F12}-\x{11F33}\x{1342F}\x{13441}-\x{13446}\x{13460}-\x{143FA}\x{16100}-\x{1611D})"
    R"(\x{16D40}-\x{16D6C}\x{18CFF}\x{1B132}\x{1B155}\x{1DF25}-\x{1DF2A}\x{1E030}-\x{1E06D})"
    R"(\x{1E4D0}-\x{1E4EB}\x{1E5D0}-\x{1E5ED}\x{1E5F0}\x{2B739}\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})";
constexpr const char* kNumbers =
    R"(\p{N}\x{10D40}-\x{10D49}\x{116D0}-\x{116E3}\x{11BF0}-\x{11BF9}\x{11F50}-\x{11F59}\x{16130}-\x{16139})"
    R"(\x{16D70}-\x{16D79}\x{1CCF0}-\x{1CCF9}\x{1D2C0}-\x{1D2D3}\x{1E4F0}-\x{1E4F9}\x{1E5F1}-\x{1E5FA})";

class Translation {
 public:
  Translation(const std::string& pattern, const std::string& where) : rest_(pattern), where_(where) {}

  std::string result() {
    while (!rest_.empty()) step();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(where_, "the split pattern has " + what + ", which is not supported", "", Exit::data);
  }
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void copy(size_t n) {
    out_ += rest_.substr(0, n);
    rest_.remove_prefix(std::min(n, rest_.size()));
  }
  void set(const char* members) { out_ += sets_ ? members : "[" + std::string(members) + "]"; }

  void step() {
    if (take("\\s")) return set(kSpace);
    if (take("\\p{L}")) return set(kLetters);
    if (take("\\p{N}")) return set(kNumbers);
    if (rest_.starts_with("\\S") && !sets_)
      return rest_.remove_prefix(2), out_ += "[^" + std::string(kSpace) + "]", void();
    if (rest_.front() == '\\') return copy(2);
    if (rest_.front() == '[') return open();
    if (rest_.front() == ']' && sets_) return close();
    if (sets_ && rest_.starts_with("&&")) refuse("an intersection of sets");
    copy(1);
  }
  void open() {
    if (sets_ && rest_.starts_with("[:")) return copy(2);
    if (sets_ && rest_.starts_with("[^")) refuse("a negated set in a set");
    if (sets_++ > 0) return rest_.remove_prefix(1);
    copy(rest_.starts_with("[^") ? 2 : 1);
    if (rest_.starts_with("]")) copy(1);
  }
  void close() {
    if (--sets_ > 0) return rest_.remove_prefix(1);
    copy(1);
  }

  std::string_view rest_;
  const std::string& where_;
  std::string out_;
  int sets_ = 0;  // how many brackets are open
};

}  // namespace

std::string pcre_pattern(const std::string& pattern, const std::string& where) {
  return Translation(pattern, where).result();
}

}  // namespace compeer::language
