// Dotted paths of settings, such as rewards[0].weight.
#include "spec/dotted.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "spec/text.h"

namespace compeer::spec {

namespace {

constexpr size_t deepest = 64;

bool bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool digits(const std::string& text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

PathPart step(std::string key) {
  PathPart made{std::move(key)};
  made.is_index = digits(made.key);
  if (made.is_index) made.index = std::stoul(made.key);
  return made;
}

// Parses a path from left to right. A part is a bare key, a quoted key or [digits]; keys are separated by dots.
class PathReader {
 public:
  PathReader(const std::string& path, const std::string& where) : path_(path), where_(where) {}

  std::vector<PathPart> all() {
    std::vector<PathPart> steps{key()};
    while (at_ < path_.size()) {
      if (steps.size() == deepest) fail();
      if (path_[at_] == '[') {
        steps.push_back(index());
      } else if (path_[at_++] == '.') {
        steps.push_back(key());
      } else {
        fail();
      }
    }
    return steps;
  }

 private:
  PathPart key() {
    if (at_ < path_.size() && path_[at_] == '"') return quoted();
    const size_t begin = at_;
    while (at_ < path_.size() && bare(path_[at_])) ++at_;
    if (at_ == begin) fail();
    return step(path_.substr(begin, at_ - begin));
  }

  PathPart quoted() {
    std::string key;
    for (++at_; at_ < path_.size() && path_[at_] != '"'; ++at_) {
      if (path_[at_] == '\\' && at_ + 1 < path_.size()) ++at_;
      key += path_[at_];
    }
    if (at_++ >= path_.size()) fail();
    return PathPart{key};
  }

  PathPart index() {
    const size_t end = path_.find(']', at_);
    if (end == std::string::npos || !digits(path_.substr(at_ + 1, end - at_ - 1))) fail();
    auto made = step(path_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return made;
  }

  [[noreturn]] void fail() const {
    throw Error(where_, fmt::format("'{}' is not the path of a setting", printable(path_)),
                "write a path such as grpo.lr or rewards[0].weight");
  }

  const std::string& path_;
  const std::string& where_;
  size_t at_ = 0;
};

// Returns the offset of the last part of a path, including its dot or bracket.
size_t last_part(const std::string& path) {
  size_t begin = 0;
  bool in_quotes = false;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\' && in_quotes) {
      ++i;
    } else if (path[i] == '"') {
      in_quotes = !in_quotes;
    } else if (!in_quotes && (path[i] == '.' || path[i] == '[')) {
      begin = i;
    }
  }
  return begin;
}

}  // namespace

std::vector<PathPart> parse_path(const std::string& path, const std::string& where) {
  return PathReader(path, where).all();
}

std::string quoted_key(const std::string& key) {
  if (!key.empty() && std::all_of(key.begin(), key.end(), bare)) return key;
  std::string text = "\"";
  for (const char c : key) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

std::string join(const std::string& table, const std::string& key) {
  return table.empty() ? quoted_key(key) : table + '.' + quoted_key(key);
}

std::string join(const std::string& list, size_t index) { return fmt::format("{}[{}]", list, index); }

std::string parent(const std::string& path) { return path.substr(0, last_part(path)); }

bool within(const std::string& path, const std::string& ancestor) {
  if (ancestor.empty()) return true;
  if (path.compare(0, ancestor.size(), ancestor) != 0) return false;
  return path.size() == ancestor.size() || path[ancestor.size()] == '.' || path[ancestor.size()] == '[';
}

}  // namespace compeer::spec
