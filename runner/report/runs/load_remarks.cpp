#include "report/runs/load.h"

#include <fmt/format.h>

#include <string>

namespace compeer::report {

namespace {

using nlohmann::json;

int64_t count(const json& object, const char* key) {
  return object.contains(key) && object[key].is_number_integer() ? object[key].get<int64_t>() : 0;
}

void remark_split(const json& split, RunData& run) {
  if (!split.is_object() || !split.contains("split") || !split["split"].is_string()) return;
  std::vector<std::string> parts;
  const auto add = [&](const char* key, const char* what) {
    if (const int64_t n = count(split, key); n > 0)
      parts.push_back(fmt::format("{} {} {}", n, n == 1 ? "is" : "are", what));
  };
  add("trimmed", "too long and trimmed");
  add("skipped", "too long and skipped");
  add("unanswered", "without an answer and skipped");
  if (!parts.empty())
    run.remarks.push_back(fmt::format("split '{}': of {} records {}", split["split"].get<std::string>(),
                                      count(split, "records"), fmt::join(parts, ", ")));
}

}  // namespace

void remark_end(const std::vector<record::Event>& events, RunData& run) {
  std::string end;
  for (const auto& event : events) {
    if (event.text.starts_with("ended after step ")) end = event.text;
  }
  if (!end.empty()) run.remarks.push_back(end);
}

void remark_records(const json& details, RunData& run) {
  if (!details.is_object() || !details.contains("data") || !details["data"].is_object()) return;
  const json& data = details["data"];
  if (const int64_t n = count(data, "unreadable"); n > 0)
    run.remarks.push_back(fmt::format("{} {} of the data set could not be read", n, n == 1 ? "record" : "records"));
  if (!data.contains("splits") || !data["splits"].is_array()) return;
  for (const auto& split : data["splits"]) remark_split(split, run);
}

void remark_stages(RunData& run) {
  for (const StageData& stage : run.stages) {
    double unreadable = 0;
    for (const auto& [name, n] : stage.counts) {
      if (name.ends_with(", unreadable")) unreadable += n;
      if (name == "answers without a reply" && n > 0)
        run.remarks.push_back(
            fmt::format("{}: {:.0f} answers are without a reply, which flatters other figures", stage.name, n));
    }
    if (unreadable > 0)
      run.remarks.push_back(
          fmt::format("{}: {:.0f} verdicts can't be read and count as wrong", stage.name, unreadable));
  }
}

}  // namespace compeer::report
