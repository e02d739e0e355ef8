#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace compeer::corpora {

/// A record that was left out. (Like compeer::Unreadable, which needs libtorch's headers.)
struct LeftOut {
  std::string file;
  int64_t record = 0;
  std::string reason;
};

/// A line for the log, "path: 1 of 9 records can't be read (11.1 %), and are left out: ...", or "" if none was.
/// Throws Error (exit 4) that names the first few if they are more than the share `allowed`, or all; then with
/// `if_all` as help.
std::string accept(const std::vector<LeftOut>& left_out, size_t read, const std::string& path, double allowed,
                   const std::string& if_all);

}  // namespace compeer::corpora
