#include "launch/forecasts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "launch/worker_program.h"
#include "launch/worker_question.h"
#include "spec/text.h"

namespace compeer::launch {

using nlohmann::json;
using spec::Spec;

namespace {

constexpr double patience = 120;  // seconds

// What a machine does at most, and the part of it that runs have got.
struct Speed {
  const char* name;
  double operations, bytes;  // a second
};
constexpr double got = 1.0 / 6;  // as an H200 with 7 billion weights, training and decoding: docs/gpu.md
constexpr Speed devices[] = {{"A100", 312e12, 2.0e12}, {"H100", 989e12, 3.35e12}, {"H200", 989e12, 4.8e12}};
constexpr Speed core = {"core", 50e9, 10e9};  // what it gets: docs/lab/speed.md, float32 with AVX2

double hours(const Speed& machine, double part, double operations, double streamed) {
  return (operations / machine.operations + streamed / machine.bytes) / part / 3600;
}

// "1,234,567", "12", "0.12"
std::string number(double value) {
  if (value >= 1e15) return fmt::format("{:.1e}", value);
  if (value < 99.5) return fmt::format("{:.2g}", value);
  auto digits = fmt::format("{:.0f}", value);
  for (auto at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

// "40 s", "5 min", "3.5 h", "12 days"
std::string time(double hours) {
  if (hours < 1.0 / 30) return fmt::format("{:.0f} s", std::max(1.0, hours * 3600));
  if (hours < 2) return fmt::format("{:.0f} min", hours * 60);
  return hours < 99.5 ? fmt::format("{:.2g} h", hours) : number(hours / 24) + " days";
}

std::string gib(const json& mib) { return number(mib.get<double>() / 1024) + " GiB"; }
std::string millions(const json& tokens) { return number(tokens.get<double>() / 1e6); }

std::string asked(const json& one) {
  auto text = fmt::format("{} requests, {} million tokens read, {} written",
                          number(std::ceil(one.at("requests").get<double>() - 1e-6)), millions(one.at("read")),
                          millions(one.at("written")));
  if (const auto cost = one.at("cost").get<double>(); cost > 0) text += fmt::format(", cost {:.2f}", cost);
  return text;
}

std::string of_model(const json& one) {
  return spec::printable(one.at("model").get<std::string>(), 60) + ": " + asked(one);
}

std::string on_machines(double operations, double streamed, bool with_devices) {
  std::string text;
  if (with_devices) {
    for (const auto& device : devices)
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", device.name, time(hours(device, got, operations, streamed)));
    text += "; ";
  }
  return text + fmt::format("core {}", time(hours(core, 1, operations, streamed)));
}

bool has(const json& table, const char* key) { return table.contains(key) && !table.at(key).is_null(); }

std::string checkpoints(double kept, double writing) {
  return fmt::format("checkpoints: {} GB, and {} more while one is written", number(kept / 1e9), number(writing / 1e9));
}

std::string lines_of(const json& forecast) {
  const bool on_device = forecast.at("on_device").get<bool>();
  std::string text;
  const auto line = [&](const std::string& one) { text += "    " + one + "\n"; };
  if (has(forecast, "records")) {
    std::string splits;
    double all = 0;
    for (const auto& [split, count] : forecast.at("records").at("records").items()) {
      const double before = std::round(all);  // so that the numbers of the splits add up
      all += count.get<double>();
      splits += fmt::format("{}{} {}", splits.empty() ? "" : ", ", split, number(std::round(all) - before));
    }
    if (all > 0) line("makes at most " + number(std::round(all)) + " records: " + splits);
  }
  for (const auto& one : forecast.at("requests")) line(of_model(one));
  if (const auto operations = forecast.at("operations").get<double>(); operations > 0) {
    line(fmt::format("{:.1e} operations: {}", operations,
                     on_machines(operations, forecast.at("streamed").get<double>(), on_device)));
  }
  if (has(forecast, "memory") && forecast.at("operations").get<double>() > 0) {
    const auto& memory = forecast.at("memory");
    std::string each = "memory of a rank: " + gib(memory.at("cpu")) + " on CPUs";
    if (on_device)
      each += fmt::format("; {} of a GPU and {} of its host", gib(memory.at("device")), gib(memory.at("host")));
    line(each);
  }
  if (const auto disk = forecast.at("disk").get<double>(); disk > 0)
    line(checkpoints(disk, forecast.at("writing").get<double>()));
  std::vector<std::string> unknown;
  for (const auto& what : forecast.at("unknown")) unknown.push_back(spec::printable(what.get<std::string>(), 200));
  if (!unknown.empty()) line(fmt::format("not known yet of: {}", fmt::join(unknown, ", ")));
  return text;
}

class Sums {
 public:
  void add(const json& forecast) {
    for (const auto& one : forecast.at("requests")) {
      auto& sum = requests_[one.at("model")];
      if (sum.is_null()) {
        sum = one;
        continue;
      }
      for (const char* what : {"requests", "read", "written", "cost"})
        sum[what] = sum[what].get<double>() + one.at(what).get<double>();
    }
    const auto operations = forecast.at("operations").get<double>(), streamed = forecast.at("streamed").get<double>();
    if (forecast.at("on_device").get<bool>()) {
      operations_ += operations;
      streamed_ += streamed;
    } else {
      on_cpus_alone_ += hours(core, 1, operations, streamed);
    }
    disk_ += forecast.at("disk").get<double>();
    writing_ = std::max(writing_, forecast.at("writing").get<double>());
  }

  std::string lines() const {
    std::string text;
    const auto line = [&](const std::string& one) { text += "    " + one + "\n"; };
    double cost = 0;
    for (const auto& [model, sum] : requests_) {
      line(of_model(sum));
      cost += sum.at("cost").get<double>();
    }
    if (requests_.size() > 1 && cost > 0) line(fmt::format("cost of all: {:.2f}", cost));
    if (operations_ > 0)
      line(fmt::format("{:.1e} operations: {}", operations_, on_machines(operations_, streamed_, true)));
    if (on_cpus_alone_ > 0) line("on CPUs alone: core " + time(on_cpus_alone_));
    if (disk_ > 0) line(checkpoints(disk_, writing_));
    return text;
  }

 private:
  std::map<std::string, json> requests_;
  double operations_ = 0, streamed_ = 0, on_cpus_alone_ = 0, disk_ = 0, writing_ = 0;
};

}  // namespace

void Forecasts::add(const Spec& spec, const std::string& folder) {
  names_.push_back(spec.values.at("name").get<std::string>());
  runs_.push_back({{"file", json::parse(spec.file_text())}, {"folder", folder}});
}

std::string Forecasts::text() const {
  if (runs_.empty()) return "";
  const auto done = ask_worker("forecast", runs_.dump(), arithmetic_environment(1), patience);
  const auto said = last_line(done.text, "forecasts");
  if (said.is_null()) return "what they take can't be told\n";
  std::string text = "\nat most, by arithmetic:\n";
  Sums sums;
  std::map<std::string, json> known;
  std::set<std::string> unset;
  for (size_t i = 0; i < names_.size(); ++i) {
    const json& forecast = said.at("forecasts").at(i);
    const bool repeated = forecast.contains("as");
    const json& same = repeated ? known.at(forecast.at("as")) : known[names_[i]] = forecast;
    text += names_[i] + (repeated ? ": as " + forecast.at("as").get<std::string>() + "\n" : "\n" + lines_of(same));
    sums.add(same);
    for (const auto& key : same.at("unset")) unset.insert("$" + key.get<std::string>());
  }
  if (names_.size() > 1) text += "in all\n" + sums.lines();
  if (!unset.empty()) text += fmt::format("without a key, for it is not set: {}\n", fmt::join(unset, ", "));
  return text;
}

}  // namespace compeer::launch
