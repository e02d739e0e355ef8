#include "launch/preview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launch/worker_program.h"
#include "launch/worker_question.h"
#include "spec/text.h"

namespace compeer::launch {

using nlohmann::json;

namespace {

constexpr double patience = 120;  // seconds

std::string gib(const json& mib) { return fmt::format("{:.3g} GiB", mib.get<double>() / 1024); }

std::string lines_of(const json& preview) {
  std::string text;
  const auto line = [&](const std::string& one) { text += "    " + one + "\n"; };
  std::vector<std::string> splits, unknown;
  for (const auto& [split, count] : preview.at("records").items())
    splits.push_back(fmt::format("{} {}", split, count.get<int64_t>()));
  if (!splits.empty()) line(fmt::format("records: {}", fmt::join(splits, ", ")));
  if (preview.contains("memory")) {
    const json& memory = preview.at("memory");
    auto each = "memory of a rank: " + gib(memory.at("cpu")) + " on CPUs";
    if (preview.at("device").get<bool>())
      each += fmt::format("; {} of a GPU and {} of its host", gib(memory.at("device")), gib(memory.at("host")));
    line(each);
  }
  for (const auto& what : preview.at("unknown")) unknown.push_back(spec::printable(what.get<std::string>(), 200));
  if (!unknown.empty()) line(fmt::format("not known yet: {}", fmt::join(unknown, ", ")));
  return text;
}

}  // namespace

void Preview::add(const spec::Spec& spec, const std::string& folder) {
  names_.push_back(spec.values.at("name").get<std::string>());
  runs_.push_back({{"file", json::parse(spec.file_text())}, {"folder", folder}});
}

std::string Preview::text() const {
  if (runs_.empty()) return "";
  const auto done = ask_worker("preview", runs_.dump(), arithmetic_environment(1), patience);
  const auto said = last_line(done.text, "previews");
  if (said.is_null()) return "\nrecords and memory can't be estimated\n";
  std::string text = "\nestimated:\n";
  for (size_t i = 0; i < names_.size(); ++i) text += names_[i] + "\n" + lines_of(said.at("previews").at(i));
  return text;
}

}  // namespace compeer::launch
