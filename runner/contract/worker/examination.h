#pragma once
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

#include "contract/worker/examinee.h"
#include "contract/worker/repetition.h"

namespace compeer::contract {

/// One plugin through everything that is checked of it, in the order of this class. What is asked of its kind in
/// particular is in the kit.
template <class T>
class Examination {
 public:
  Examination(const ExaminationRequest& asked, const plugin::Services& services, Reporter& report)
      : asked_(asked), report_(report), examinee_(asked, services, report) {}

  /// True if the plugin could be made.
  bool run() {
    at::set_num_threads(1);
    if (!loads() || !makes()) return false;
    edges();
    kit_.emplace(kit_for(Subject<T>{*object_, asked_.examples, asked_.records, asked_.settings,
                                    [this](const auto& changes) { return examinee_.another(changes); }}));
    begin(*object_);
    inputs();
    rules();
    same_twice();
    threads();
    growth();
    same_after_all();
    making_again();
    examinee_.ends(object_);
    return true;
  }

 private:
  using Object = typename Examinee<T>::Object;
  static constexpr int64_t times = 1000, makings = 50;

  bool loads() {
    report_.begin("loading");
    if (const auto wrong = examinee_.tried("load", "", [&] { plugin::Library(asked_.chosen, T::kind); })) {
      report_.fails(*wrong);
      return false;
    }
    report_.holds("built for this program's interface, libtorch and C++ ABI; loads with all its symbols");
    return true;
  }

  bool makes() {
    report_.begin("making");
    if (asked_.settings.is_null()) {
      report_.not_checked(asked_.missing.empty() ? "it has no settings that hold"
                                                 : "required and without a default: " + list(asked_.missing) +
                                                       "; say them with --set KEY=VALUE");
      return false;
    }
    const auto wrong = examinee_.tried("new", "", [&] { object_.emplace(examinee_.another({})); });
    if (!wrong) return report_.holds("can be made"), true;
    if (asked_.unset.empty()) {
      report_.fails(*wrong);
    } else {
      report_.not_checked(*wrong +
                          "; perhaps it needs one of those without a default, said with --set: " + list(asked_.unset));
    }
    return false;
  }

  void edges() {
    report_.begin("ranges");
    int64_t good = 0;
    for (const auto& edge : asked_.edges) {
      const auto name = edge.at("name").template get<std::string>();
      const auto input = fmt::format("{} = {}", name, edge.at("value").dump());
      std::optional<Object> made;
      const auto wrong = examinee_.tried("new", input, [&] {
        made.emplace(examinee_.another({{name, edge.at("value")}}));
      });
      examinee_.ends(made);
      good += !wrong;
      if (!wrong) continue;
      if (names_another(*wrong, name)) {
        report_.tells(fmt::format("{} is in range, but does not go with the other settings: {}", input, *wrong));
      } else {
        report_.fails(fmt::format("{} is in range, but refused: {}", input, *wrong));
      }
    }
    if (good > 0) report_.holds(fmt::format("can be made with settings at the ends of their ranges, {} of them", good));
  }

  void inputs() {
    report_.begin("inputs");
    Sentences failed, strange;
    std::string kept;
    for (size_t i = 0; i < kit_->cases.size(); ++i) {
      const auto& one = kit_->cases[i];
      const CallResult answer = examinee_.answer_to(one, *object_);
      const bool wants_others = answer.exit == Exit::data && !asked_.real_records && !asked_.examples.empty();
      if (answer.failed() && !one.may_refuse) {
        (wants_others ? strange : failed).add(answer.method, one.input, answer.problem);
        continue;
      }
      known_[i] = answer;
      kept += (kept.empty() ? "" : ", ") + one.input;
    }
    for (const auto& text : failed.all()) report_.fails(text);
    for (const auto& text : strange.all())
      report_.not_checked(text + "; --dataset NAME or --set KEY=VALUE may give it what it asks for");
    if (!known_.empty()) report_.holds(fmt::format("{} with: {}", methods(), kept));
  }

  void rules() {
    for (const auto& rule : kit_->rules) {
      report_.begin(rule.check);
      if (!known_.contains(0)) {
        report_.not_checked(rule.says + ": it has no result for " + kit_->cases.front().input);
        continue;
      }
      std::string broken;
      const auto wrong = examinee_.tried(rule.method, "", [&] { broken = rule.broken(*object_); });
      if (wrong || !broken.empty()) {
        report_.fails(rule.says + "? " + (wrong ? *wrong : broken));
      } else {
        report_.holds(rule.says);
      }
    }
  }

  void same_twice() {
    report_.begin("same twice");
    if (!kit_->need_not_agree.empty()) return report_.not_checked(kit_->need_not_agree);
    const bool again = agrees(*object_, "gave other results when it was asked again");
    if (again && in_a_new_one("gave other results in a plugin made anew"))
      report_.holds("the same bytes when asked again in another order, and from a plugin made anew");
  }

  void threads() {
    report_.begin("threads");
    const auto& why_not = kit_->need_not_agree.empty() ? kit_->not_on_threads : kit_->need_not_agree;
    if (!why_not.empty()) return report_.not_checked(why_not);
    at::set_num_threads(2);
    if (in_a_new_one("gave other results with 2 threads")) report_.holds("the same bytes with 1 thread and with 2");
    at::set_num_threads(1);
  }

  bool in_a_new_one(const std::string& otherwise) {
    std::optional<Object> fresh;
    if (const auto wrong = examinee_.tried("new", "", [&] { fresh.emplace(examinee_.another({})); }))
      return report_.fails(*wrong), false;
    begin(*fresh);
    const bool same = agrees(*fresh, otherwise);
    examinee_.ends(fresh);
    return same;
  }

  // From the last to the first, so that what an earlier call left behind shows.
  bool agrees(Object& object, const std::string& otherwise) {
    Sentences differing;
    for (auto known = known_.rbegin(); known != known_.rend(); ++known) {
      const auto& one = kit_->cases[known->first];
      if (!(examinee_.answer_to(one, object) == known->second)) differing.add(one.method, one.input, otherwise);
    }
    for (const auto& text : differing.all()) report_.fails(text);
    return differing.all().empty() && !known_.empty();
  }

  void growth() {
    report_.begin("growth");
    if (!kit_->not_repeated.empty()) return report_.not_checked(kit_->not_repeated);
    const auto& one = kit_->cases.front();
    if (!known_.contains(0)) return report_.not_checked("it has no result for " + one.input);
    const auto done = repeated(times, one.method, one.input, [&] { one.call(*object_); });
    report_.begin("time");
    if (done.calls > 0)
      report_.tells(fmt::format("{}() with {}: {:.3g} ms, the median of {} calls", one.method, one.input,
                                done.median * 1e3, done.calls));
  }

  void same_after_all() {
    if (!kit_->need_not_agree.empty() || !kit_->not_repeated.empty()) return;
    report_.begin("same twice");
    if (agrees(*object_, "gave other results after many calls")) report_.holds("the same bytes after all those calls");
  }

  void making_again() {
    report_.begin("growth");
    repeated(makings, "new", "", [&] { examinee_.another({}); });
  }

  template <class F>
  Repetition repeated(int64_t most, const std::string& method, const std::string& input, F&& f) {
    report_.calls(method, input);
    const auto name = method == "new" ? "its constructor and destructor" : method + "()";
    try {
      const auto done = repeat(most, [&] {
        const Call call;
        f();
      });
      for (const auto& growth : done.grown)
        report_.fails(fmt::format("{} more calls of {} {}", done.measured, name, growth));
      if (done.grown.empty())
        report_.holds(fmt::format("{} calls of {} left no more memory, files or threads in use", done.calls, name));
      return done;
    } catch (const Error& error) {
      report_.fails(fmt::format("{} fails when it is called often: {}", name,
                                failure(examinee_.identity(), method, error).problem));
      return {};
    }
  }

  void begin(Object& object) {
    if (!kit_->begin) return;
    if (const auto wrong = examinee_.tried("survey", "", [&] { kit_->begin(object); })) report_.fails(*wrong);
  }

  std::string methods() const {
    std::string all;
    for (const auto& [i, answer] : known_) {
      const auto& method = kit_->cases[i].method + "()";
      if (all.find(method) == std::string::npos) all += (all.empty() ? "" : ", ") + method;
    }
    return all;
  }

  // A message about a combination names the other setting.
  bool names_another(const std::string& message, const std::string& setting) const {
    for (const auto& [name, value] : asked_.settings.items()) {
      if (name != setting && name != "plugin" && message.find(name) != std::string::npos) return true;
    }
    return false;
  }

  static std::string list(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

  const ExaminationRequest& asked_;
  Reporter& report_;
  Examinee<T> examinee_;
  std::optional<Object> object_;
  std::optional<Kit<T>> kit_;
  std::map<size_t, CallResult> known_;  // of cases that went well, when they were first asked
};

}  // namespace compeer::contract
