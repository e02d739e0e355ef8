#include "corpora/json_records.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include "base/error.h"

namespace compeer::corpora {

namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of UTF-8, which some editors put in front

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// What ends a stretch of characters that mean nothing to the scanner: within quotes, and outside of them.
using Marks = std::array<bool, 256>;
constexpr Marks marks(std::string_view characters) {
  Marks table{};
  for (const char c : characters) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr Marks kInQuotes = marks("\"\\\n"), kInLists = marks("\"{}[]");

/// Takes a file block by block and tells of each record when it ends.
class Scanner {
 public:
  explicit Scanner(const std::function<void(const Raw&)>& f) : f_(f) {}

  void take(std::string_view block) {
    while (!block.empty()) {
      if (layout_ == Layout::unknown) begin(block[0]);
      const size_t dull = stretch(block);
      if (dull > 0) {
        record_.append(block.substr(0, dull));
        at_ += dull;
        block.remove_prefix(dull);
        continue;
      }
      if (layout_ == Layout::lines) line(block[0]);
      if (layout_ == Layout::list) element(block[0]);
      ++at_;
      block.remove_prefix(1);
    }
  }

  void end() {
    if (layout_ == Layout::lines && !blank()) tell();
    if (layout_ == Layout::unknown) refuse("is not there: the file is empty");
    if (layout_ != Layout::list || closed_) return;
    refuse(record_.empty() ? "is not there: the list does not end, as if the file were cut off"
                           : "is not whole: the file ends within it, as if cut off");
  }

 private:
  enum class Layout { unknown, lines, list };

  void begin(char c) {
    if (at_ < kMark.size() && c == kMark[at_]) return;
    if (c == '\n') ++number_;
    if (is_space(c)) return;
    layout_ = c == '[' ? Layout::list : Layout::lines;
    if (layout_ == Layout::list) number_ = 0, opening_ = true;
  }

  void line(char c) {
    if (c != '\n') {
      add(c);
      return;
    }
    if (blank()) {
      ++number_, record_.clear();
    } else {
      tell();
    }
  }

  void element(char c) {
    if (std::exchange(opening_, false)) return;
    if (closed_) {
      if (!is_space(c) && !std::exchange(told_of_rest_, true)) refuse("stands behind the end of the list");
    } else if (record_.empty()) {
      if (c == ']') closed_ = true;
      if (c != ']' && c != ',' && !is_space(c)) inside(c);
    } else if (depth_ == 0 && !quoted_ && (c == ',' || c == ']' || is_space(c))) {
      tell();  // a number or a word, which ends where something else begins
      closed_ = c == ']';
    } else {
      inside(c);
    }
  }

  void inside(char c) {
    add(c);
    if (quoted_) {
      quoted_ = c != '\n' && (escaped_ || c != '"');
      escaped_ = !escaped_ && c == '\\';
      if (!quoted_ && depth_ == 0) tell();
    } else if (c == '"') {
      quoted_ = true, escaped_ = false;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ <= 0) {
      tell();
    }
  }

  // How many of the next characters only go into the record that has begun.
  size_t stretch(std::string_view block) const {
    if (record_.empty()) return 0;
    if (layout_ == Layout::lines) return std::min(block.find('\n'), block.size());
    if (layout_ != Layout::list || escaped_ || (depth_ == 0 && !quoted_)) return 0;
    const Marks& marks = quoted_ ? kInQuotes : kInLists;
    size_t i = 0;
    while (i < block.size() && !marks[static_cast<unsigned char>(block[i])]) ++i;
    return i;
  }

  bool blank() const { return record_.find_first_not_of(" \t\r") == record_.npos; }

  void add(char c) {
    if (record_.empty()) offset_ = at_;
    record_ += c;
  }
  void tell() {
    f_({++number_, offset_, record_, ""});
    record_.clear(), depth_ = 0, quoted_ = false;
  }
  void refuse(const std::string& problem) { f_({++number_, at_, "", problem}); }

  const std::function<void(const Raw&)>& f_;
  Layout layout_ = Layout::unknown;
  std::string record_;
  uint64_t at_ = 0, offset_ = 0;
  int64_t number_ = 0;
  int depth_ = 0;
  bool quoted_ = false, escaped_ = false, opening_ = false, closed_ = false, told_of_rest_ = false;
};

}  // namespace

void each_json_record(const std::filesystem::path& file, const std::function<void(const Raw&)>& f) {
  std::ifstream in(file, std::ios::binary);
  auto block = std::make_unique<std::array<char, 1 << 18>>();
  Scanner scanner(f);
  while (in) {
    in.read(block->data(), block->size());
    scanner.take({block->data(), static_cast<size_t>(in.gcount())});
  }
  if (!in.eof()) throw Error(file.string(), std::string("can't be read: ") + std::strerror(errno), "", Exit::data);
  scanner.end();
}

}  // namespace compeer::corpora
