#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace compeer::corpora {

/// A record that was left out.
struct LeftOutRecord {
  std::string file;
  int64_t record = 0;
  std::string reason;
};

/// Throws Error (exit 4) that names the first few if they are more than the share `allowed`, or all; then with
/// `if_all` as help. A file that is cut off is refused, unless all are allowed to be left out.
void refuse_too_many(const std::vector<LeftOutRecord>& left_out, size_t read, const std::string& path, double allowed,
                     const std::string& if_all);

}  // namespace compeer::corpora
