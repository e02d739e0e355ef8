// The checksums that come with reference files, in the form that sha256sum writes.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "tools/verify/verify.h"

namespace compeer::verify {

namespace {

namespace fs = std::filesystem;

// "<64 digits>  name" or "<64 digits> *name"
std::pair<std::string, fs::path> parse(const fs::path& file, const std::string& line) {
  const fs::path name = line.size() > 66 ? line.substr(66) : "";
  const bool inside = name.is_relative() && std::find(name.begin(), name.end(), "..") == name.end();
  if (name.empty() || !inside || line.substr(0, 64).find_first_not_of("0123456789abcdef") != std::string::npos)
    throw Error(file.string(), fmt::format("has the line '{}'", line),
                "a line is a SHA-256, two spaces and a file below", Exit::data);
  return {line.substr(0, 64), name};
}

}  // namespace

std::vector<Check> verify_sums(const fs::path& file, const VerifyOptions&) {
  std::istringstream lines(read_file(file));
  std::string line, wrong;
  size_t files = 0, different = 0;
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    const auto [sum, name] = parse(file, line);
    ++files;
    const bool there = fs::exists(file.parent_path() / name);
    if (there && sha256_file(file.parent_path() / name) == sum) continue;
    ++different;
    wrong += fmt::format("{}{} {}", wrong.empty() ? "" : ", ", name.string(), there ? "differs" : "is missing");
  }
  return {check("files", static_cast<double>(different), 0, wrong.empty() ? fmt::format("{} files", files) : wrong)};
}

}  // namespace compeer::verify
