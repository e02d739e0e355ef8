#include "corpora/left_out.h"

#include <fmt/format.h>

#include "base/error.h"

namespace compeer::corpora {

namespace {

constexpr size_t kNamed = 3;  // records that a message names

std::string first_few(const std::vector<Unreadable>& left_out) {
  std::string text;
  for (size_t i = 0; i < left_out.size() && i < kNamed; ++i)
    text += fmt::format("{}{}, record {}: {}", i ? "; " : "", left_out[i].file, left_out[i].record, left_out[i].reason);
  return text + (left_out.size() > kNamed ? "; ..." : "");
}

}  // namespace

void read_records(const std::filesystem::path& file, std::vector<Unreadable>& left_out,
                  const std::function<void(json record, const Raw& raw)>& f) {
  each_json_record(file, [&](const Raw& raw) {
    try {
      if (!raw.problem.empty()) throw Refusal(raw.problem);
      f(parse(raw.bytes, raw.offset), raw);
    } catch (const Refusal& refusal) {
      left_out.push_back({file.string(), raw.number, refusal.what()});
    }
  });
}

void refuse_too_many(const std::vector<Unreadable>& left_out, size_t read, const std::string& path, double allowed,
                     const std::string& if_all) {
  const size_t bad = left_out.size(), all = bad + read;
  if (bad == 0) return;
  for (const auto& [file, record, reason] : left_out) {
    if (allowed < 1 && cut_off(reason))
      throw Error(file, fmt::format("record {} {}", record, reason),
                  "download the file again, or set max_unreadable = 1 to use the readable records", Exit::data);
  }
  const double share = static_cast<double>(bad) / static_cast<double>(all);
  if (read > 0 && share <= allowed) return;
  throw Error(path,
              fmt::format("{} of {} records can't be read ({:.3g} %): {}", bad, all, 100 * share, first_few(left_out)),
              read == 0 ? if_all : fmt::format("'max_unreadable' allows a share of {}", allowed), Exit::data);
}

}  // namespace compeer::corpora
