// The message of an Error, and suggestions for misspelled names.
#include "base/error.h"

#include <algorithm>
#include <numeric>

namespace compeer {

namespace {

std::string join(const std::string& where, const std::string& what, const std::string& help) {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!help.empty()) text += "\n  help: " + help;
  for (size_t at = 0; (at = text.find('\0', at)) != std::string::npos;)
    text.replace(at, 1, "\\x00");  // what() would end at a zero byte
  return text;
}

// Returns the edit distance; swapping two neighbouring characters counts as one edit ("lenght" and "length" differ by
// 1).
size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

// Returns the `most` names that are most like `wrong`: those that contain it, then those with the longest prefix in
// common.
std::vector<std::string> most_alike(const std::string& wrong, std::vector<std::string> names, size_t most) {
  const auto alike = [&](const std::string& name) {
    if (name.find(wrong) != std::string::npos) return std::ssize(wrong) + 1;
    return std::mismatch(name.begin(), name.end(), wrong.begin(), wrong.end()).first - name.begin();
  };
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return alike(a) > alike(b); });
  names.resize(std::min(names.size(), most));
  return names;
}

}  // namespace

Error::Error(std::string where, std::string what, std::string help, Exit exit)
    : std::runtime_error(join(where, what, help)),
      where_(std::move(where)),
      what_(std::move(what)),
      help_(std::move(help)),
      exit_(exit) {}

std::string nearest(const std::string& wrong, const std::vector<std::string>& names) {
  if (wrong.size() > 64) return "";
  const auto known = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if ((wrong == "gpu" || wrong == "nvidia") && known("cuda")) return "cuda";
  std::string best;
  size_t best_distance = std::max<size_t>(2, wrong.size() / 3) + 1;
  for (const auto& name : names) {
    const size_t d = name.ends_with("." + wrong) ? 0 : distance(wrong, name);
    if (d < best_distance) best = name, best_distance = d;
  }
  return best;
}

std::string suggest(const std::string& wrong, const std::vector<std::string>& names, const std::string& all) {
  constexpr size_t most = 24, few = 8;
  std::string text;
  if (const auto name = nearest(wrong, names); !name.empty()) text = "did you mean '" + name + "'? ";
  const auto shown = names.size() > most ? most_alike(wrong, names, few) : names;
  text += "known: ";
  for (size_t i = 0; i < shown.size(); ++i) text += (i ? ", " : "") + shown[i];
  if (shown.size() == names.size()) return text;
  return text + " and " + std::to_string(names.size() - shown.size()) + " more" + (all.empty() ? "" : ": " + all);
}

}  // namespace compeer
