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

// Runs the checks of `compeer plugins check` that call the plugin. T is the interface of the plugin's kind (Reward,
// Model, ...). A finding is one line of the result. A case is one call with a fixed input, and a rule is a property
// that must hold across several calls.

namespace compeer::conformance {

/// An exception of a plugin, as text for a finding.
struct CallFailure {
  std::string place;    ///< "in score() with empty completions"
  std::string problem;  ///< "threw a value of type int"
  Exit exit;            ///< exit code of the error
  std::string text() const { return place + ": " + problem; }
};
/// Describes `error`, which the plugin `identity` threw in a call of `method` ("load", "new" or the method's name) with
/// the arguments named `input` ("" for none).
CallFailure call_failure(const plugin::Identity& identity, const std::string& method, const std::string& input,
                         const Error& error);

/// Runs all checks of one plugin, in the order of the functions of this class, and reports their findings.
template <class T>
class ConformanceTest {
 public:
  /// The arguments must outlive this object.
  ConformanceTest(const ConformanceRequest& request, const plugin::Services& services, Reporter& report)
      : request_(request), services_(services), report_(report) {}

  /// Runs the checks. Returns true if an object of the plugin could be constructed; otherwise the remaining checks were
  /// skipped.
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
  using Object = plugin::Plugin<T>;  // an opened plugin

  // Each of the following functions, up to rules(), is one check and writes its findings.

  // Returns true if the library can be loaded.
  bool loads() {
    report_.begin("loading");
    if (const auto failure = attempt("load", "", [&] { plugin::Library(request_.chosen, T::kind); }))
      return report_.fails(failure->problem), false;
    report_.holds("built for this program's interface, libtorch and C++ ABI; loads with all its symbols");
    return true;
  }

  // Constructs object_ with the requested settings. Returns true if that succeeds.
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

  // Constructs an object for each lowest and highest valid value of a setting.
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

  // Calls every case once, and keeps the results in first_results_.
  void inputs() {
    report_.begin("inputs");
    std::vector<std::string> good;
    for (size_t i = 0; i < cases_.cases.size(); ++i) {
      const auto& one = cases_.cases[i];
      std::string result;
      const auto failure = attempt(one.method, one.input, [&] { result = one.call(*object_); });
      if (!failure) {
        first_results_[i] = result;
        good.push_back(one.input);
      } else if (failure->exit == Exit::data && !request_.real_records) {
        report_.not_checked(failure->text() + "; perhaps --dataset NAME or --set KEY=VALUE provides it");
      } else {
        report_.fails(failure->text());
      }
    }
    if (!good.empty()) report_.holds("results satisfy the interface, with: " + list(good));
  }

  // Repeats all cases, with the same object and with a new one. Returns false if a result differs.
  bool same_twice() {
    report_.begin("same twice");
    if (!cases_.varies.empty()) return report_.not_checked(cases_.varies), true;
    if (first_results_.empty()) return true;
    if (!agrees(*object_, "returned other results when called again")) return false;
    if (!agrees_when_new("returned other results in a new instance")) return false;
    report_.holds("the same bytes when called again in another order, and from a new instance");
    return true;
  }

  // Repeats all cases with two threads; the results must equal those of one thread.
  void threads() {
    report_.begin("threads");
    const auto& varies = cases_.varies.empty() ? cases_.varies_with_threads : cases_.varies;
    if (!varies.empty()) return report_.not_checked(varies);
    if (first_results_.empty()) return;
    at::set_num_threads(2);
    if (agrees_when_new("returned other results with 2 threads"))
      report_.holds("the same bytes with 1 thread and with 2");
    at::set_num_threads(1);
  }

  // Repeats the first case and compares the size of the heap. A leak is at least one byte per call in two consecutive
  // series of calls, so that memory that only early calls allocate, such as a cache, is no leak.
  void memory() {
    report_.begin("memory");
    if (!cases_.varies.empty()) return report_.not_checked(cases_.varies);
    if (!first_results_.contains(0) || !memory_is_exact) return;
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

  // Checks the rules. `same`: result of same_twice(). Rules compare the results of calls, so they are skipped if equal
  // calls return different results.
  void rules(bool same) {
    report_.begin("rules");
    for (const auto& rule : cases_.rules) {
      if (!same || !first_results_.contains(0)) {
        report_.not_checked(
            rule.property + ": " +
            (same ? "there is no result for " + cases_.cases.front().input : "its results change from call to call"));
        continue;
      }
      std::string problem;
      const auto call = [&] { problem = object_->call(rule.method.c_str(), rule.problem); };
      if (const auto failure = attempt(rule.method, "", call, rule_patience)) problem = failure->problem;
      problem.empty() ? report_.holds(rule.property) : report_.fails(rule.property + "? " + problem);
    }
  }

  // Repeats all cases with a new object. If a result differs, reports `otherwise` as a failure and returns false.
  bool agrees_when_new(const std::string& otherwise) {
    std::optional<Object> fresh;
    if (const auto failure = attempt("new", "", [&] { fresh.emplace(make({})); }))
      return report_.fails(failure->problem), false;
    prepare(*fresh);
    const bool same = agrees(*fresh, otherwise);
    destroy(fresh);
    return same;
  }

  // Repeats all cases with `object`, from the last to the first, to detect state that an earlier call has changed. If a
  // result differs from first_results_, reports `otherwise` as a failure and returns false.
  bool agrees(Object& object, const std::string& otherwise) {
    for (auto known = first_results_.rbegin(); known != first_results_.rend(); ++known) {
      const auto& one = cases_.cases[known->first];
      std::string result;
      const auto failure = attempt(one.method, one.input, [&] { result = one.call(object); });
      if (failure || result != known->second)
        return report_.fails(place_text(one.method, one.input) + ": " + otherwise), false;
    }
    return true;
  }

  // Makes the calls that objects of this kind need before their cases.
  void prepare(Object& object) {
    if (!cases_.prepare) return;
    const auto failure = attempt("add_summary", "", [&] { cases_.prepare(object); });
    if (failure) report_.fails(failure->problem);
  }

  // Constructs an object with the requested settings, after merging `changes` (an object, or null) into them. Throws
  // Error if that fails.
  Object make(const nlohmann::json& changes) {
    auto settings = request_.settings;
    settings.update(changes.is_null() ? nlohmann::json::object() : changes);
    return plugin::open<T>(request_.chosen, Settings(settings),
                           std::make_unique<plugin::RunHost>(request_.chosen, services_));
  }

  // Destroys the object under the time limit of a call.
  void destroy(std::optional<Object>& object) {
    const Call call = report_.call("~", "");
    object.reset();
  }

  // Calls f(), which calls `method` of the plugin with the arguments named `input`, within `patience` times the time
  // limit of a call. Returns its failure, if any.
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

  // True if the message contains the name of another setting than `setting`, so that the failure may come from their
  // combination.
  bool names_another(const std::string& message, const std::string& setting) const {
    for (const auto& [name, value] : request_.settings.items()) {
      if (name != setting && name != "plugin" && message.find(name) != std::string::npos) return true;
    }
    return false;
  }

  // Returns the names with commas between them.
  static std::string list(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

  const ConformanceRequest& request_;
  const plugin::Services& services_;
  Reporter& report_;
  std::optional<Object> object_;  // the plugin under test; empty before makes() and at the end
  Cases<T> cases_;
  std::map<size_t, std::string> first_results_;  // index in cases_.cases -> result, as bytes, of its first call
};

}  // namespace compeer::conformance
