#pragma once
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "conformance/worker/cases.h"
#include "conformance/worker/process_state.h"
#include "conformance/worker/reporter.h"
#include "plugin/host.h"

namespace compeer::conformance {

/// An Error raised by a plugin, for findings: "in score() with empty completions: threw a value of type int".
struct CallFailure {
  std::string place, problem;
  Exit exit;
  std::string text() const { return place + ": " + problem; }
};
/// Describes `error`, which a call of `method` with `input` threw.
CallFailure call_failure(const plugin::Identity& identity, const std::string& method, const std::string& input,
                         const Error& error);

/// Runs all checks of one plugin, in the order of the functions of this class. The cases of each kind are in
/// *_cases.cpp.
template <class T>
class ConformanceTest {
 public:
  ConformanceTest(const ConformanceRequest& request, const plugin::Services& services, Reporter& report)
      : request_(request), services_(services), report_(report) {}

  /// Returns true if an object of the plugin could be made.
  bool run() {
    at::set_num_threads(1);
    if (!loads() || !makes()) return false;
    ranges();
    cases_ = cases_for(Subject<T>{*object_, request_, [this](const auto& changes) { return make(changes); }});
    prepare(*object_);
    inputs();
    const bool same = same_twice();
    if (same) threads();
    memory();
    rules(same);
    destroy(object_);
    return true;
  }

 private:
  using Object = plugin::Plugin<T>;

  bool loads() {
    report_.begin("loading");
    if (const auto failure = attempt("load", "", [&] { plugin::Library(request_.chosen, T::kind); }))
      return report_.fails(failure->problem), false;
    report_.holds("built for this program's interface, libtorch and C++ ABI; loads with all its symbols");
    return true;
  }

  bool makes() {
    report_.begin("making");
    if (request_.settings.is_null()) {
      const auto missing = "required and without a default: " + list(request_.missing);
      report_.not_checked(request_.missing.empty() ? "its settings are invalid"
                                                   : missing + "; set them with --set KEY=VALUE");
      return false;
    }
    const auto failure = attempt("new", "", [&] { object_.emplace(make({})); });
    if (!failure) return report_.holds("can be created"), true;
    if (request_.unset.empty()) return report_.fails(failure->problem), false;
    report_.not_checked(
        failure->problem +
        "; perhaps it requires one of these settings without a default (use --set): " + list(request_.unset));
    return false;
  }

  void ranges() {
    report_.begin("ranges");
    int64_t made = 0;
    for (const auto& edge : request_.edges) {
      const auto& name = edge.first;
      const auto& value = edge.second;
      const auto input = fmt::format("{} = {}", name, value.dump());
      std::optional<Object> object;
      const auto failure = attempt("new", input, [&] { object.emplace(make({{name, value}})); });
      destroy(object);
      made += !failure;
      if (!failure) continue;
      if (names_another(failure->problem, name)) {
        report_.not_checked(fmt::format("{} contradicts the other settings: {}", input, failure->problem));
      } else {
        report_.fails(fmt::format("{} is in range, but rejected: {}", input, failure->problem));
      }
    }
    if (made > 0)
      report_.holds(fmt::format("can be created with settings at the ends of their ranges, {} of them", made));
  }

  void inputs() {
    report_.begin("inputs");
    std::vector<std::string> good;
    for (size_t i = 0; i < cases_.cases.size(); ++i) {
      const auto& one = cases_.cases[i];
      std::string result;
      const auto failure = attempt(one.method, one.input, [&] { result = one.call(*object_); });
      if (!failure) {
        known_[i] = result;
        good.push_back(one.input);
      } else if (failure->exit == Exit::data && !request_.real_records) {
        report_.not_checked(failure->text() + "; perhaps --dataset NAME or --set KEY=VALUE provides it");
      } else {
        report_.fails(failure->text());
      }
    }
    if (!good.empty()) report_.holds("results satisfy the interface, with: " + list(good));
  }

  bool same_twice() {
    report_.begin("same twice");
    if (!cases_.varies.empty()) return report_.not_checked(cases_.varies), true;
    if (known_.empty()) return true;
    if (!agrees(*object_, "returned other results when called again")) return false;
    if (!agrees_when_new("returned other results in a new instance")) return false;
    report_.holds("the same bytes when called again in another order, and from a new instance");
    return true;
  }

  void threads() {
    report_.begin("threads");
    const auto& varies = cases_.varies.empty() ? cases_.varies_with_threads : cases_.varies;
    if (!varies.empty()) return report_.not_checked(varies);
    if (known_.empty()) return;
    at::set_num_threads(2);
    if (agrees_when_new("returned other results with 2 threads"))
      report_.holds("the same bytes with 1 thread and with 2");
    at::set_num_threads(1);
  }

  // Repeats the first case and compares the heap. Memory that only early calls allocate, such as a cache, is no leak.
  void memory() {
    report_.begin("memory");
    if (!cases_.varies.empty()) return report_.not_checked(cases_.varies);
    if (!known_.contains(0) || !memory_is_exact) return;
    const auto& one = cases_.cases[0];
    using Clock = std::chrono::steady_clock;
    const auto stop = Clock::now() + std::chrono::seconds(2);
    int64_t calls = 0;
    const auto call = [&] { attempt(one.method, one.input, [&] { one.call(*object_); }); };
    while (calls < 2 || (calls < 300 && Clock::now() < stop)) call(), ++calls;
    const auto heap_after_calls = [&] {
      for (int64_t i = 0; i < calls; ++i) call();
      return heap_bytes();
    };
    const int64_t before = heap_bytes(), middle = heap_after_calls(), after = heap_after_calls();
    const auto place = place_text(one.method, one.input);
    if (std::min(middle - before, after - middle) < calls)
      return report_.holds(fmt::format("{}: memory use does not grow in {} calls", place, 2 * calls));
    report_.fails(fmt::format("{}: {} calls leaked {} bytes", place, 2 * calls, after - before));
  }

  // Rules compare the results of calls. If these change from call to call (not `same`), rules would fail only for that.
  void rules(bool same) {
    report_.begin("rules");
    for (const auto& rule : cases_.rules) {
      if (!same || !known_.contains(0)) {
        report_.not_checked(
            rule.says + ": " +
            (same ? "there is no result for " + cases_.cases.front().input : "its results change from call to call"));
        continue;
      }
      std::string problem;
      const auto call = [&] { problem = object_->call(rule.method.c_str(), rule.problem); };
      if (const auto failure = attempt(rule.method, "", call, rule_patience)) problem = failure->problem;
      problem.empty() ? report_.holds(rule.says) : report_.fails(rule.says + "? " + problem);
    }
  }

  bool agrees_when_new(const std::string& otherwise) {
    std::optional<Object> fresh;
    if (const auto failure = attempt("new", "", [&] { fresh.emplace(make({})); }))
      return report_.fails(failure->problem), false;
    prepare(*fresh);
    const bool same = agrees(*fresh, otherwise);
    destroy(fresh);
    return same;
  }

  // Calls the cases from the last to the first, to detect state that an earlier call has changed.
  bool agrees(Object& object, const std::string& otherwise) {
    for (auto known = known_.rbegin(); known != known_.rend(); ++known) {
      const auto& one = cases_.cases[known->first];
      std::string result;
      const auto failure = attempt(one.method, one.input, [&] { result = one.call(object); });
      if (failure || result != known->second)
        return report_.fails(place_text(one.method, one.input) + ": " + otherwise), false;
    }
    return true;
  }

  void prepare(Object& object) {
    if (!cases_.prepare) return;
    const auto failure = attempt("add_summary", "", [&] { cases_.prepare(object); });
    if (failure) report_.fails(failure->problem);
  }

  Object make(const nlohmann::json& changes) {
    auto settings = request_.settings;
    settings.update(changes.is_null() ? nlohmann::json::object() : changes);
    return plugin::open<T>(request_.chosen, Settings(settings),
                           std::make_unique<plugin::RunHost>(request_.chosen, services_));
  }

  void destroy(std::optional<Object>& object) {
    const Call call = report_.call("~", "");
    object.reset();
  }

  // Calls f() and returns its failure, if any.
  template <class F>
  std::optional<CallFailure> attempt(const std::string& method, const std::string& input, F&& f, int patience = 1) {
    const Call call = report_.call(method, input, patience);
    try {
      f();
      return {};
    } catch (const Error& error) {
      const auto& [kind, name, path, hash] = request_.chosen;
      return call_failure({kind, name, request_.version, path}, method, input, error);
    }
  }

  // True if the message names another setting, so that the failure may come from their combination.
  bool names_another(const std::string& message, const std::string& setting) const {
    for (const auto& [name, value] : request_.settings.items()) {
      if (name != setting && name != "plugin" && message.find(name) != std::string::npos) return true;
    }
    return false;
  }

  static std::string list(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

  const ConformanceRequest& request_;
  const plugin::Services& services_;
  Reporter& report_;
  std::optional<Object> object_;
  Cases<T> cases_;
  std::map<size_t, std::string> known_;  // results of the first calls, by index of the case
};

}  // namespace compeer::conformance
