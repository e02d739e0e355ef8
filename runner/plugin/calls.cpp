#include "plugin/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace compeer::plugin {

namespace {

// The door of one call: what comes back from a plugin is looked at here, once.
class Door {
 public:
  Door(const Identity& identity, const char* method) : identity_(identity), method_(method) {}

  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    plugin::refuse(identity_, method_, what, help);
  }

  at::Tensor tensor(const at::Tensor& value, at::ScalarType type, at::IntArrayRef sizes) const {
    const std::string help = "the contract is in compeer/" + std::string(header());
    if (!value.defined()) refuse("returned no tensor", help);
    if (value.scalar_type() != type) {
      refuse(std::string("returned ") + name_of(value.scalar_type()) + " instead of " + name_of(type), help);
    }
    if (value.sizes() != sizes) refuse("returned shape " + text(value.sizes()) + " instead of " + text(sizes), help);
    if (!value.is_cpu() || value.layout() != at::kStrided)
      refuse("returned a tensor that is not dense on the CPU", help);
    return value.detach().clone(at::MemoryFormat::Contiguous);  // a plugin may fill its tensor anew in the next call
  }

  /// `place` says where number i stands.
  template <class Number, class Where>
  void finite(const at::Tensor& value, Where&& place, bool or_nan = false) const {
    const Number* numbers = value.const_data_ptr<Number>();
    for (int64_t i = 0; i < value.numel(); ++i) {
      if (std::isfinite(numbers[i]) || (or_nan && std::isnan(numbers[i]))) continue;
      const char* name = std::isnan(numbers[i]) ? "NaN" : numbers[i] > 0 ? "+infinity" : "-infinity";
      throw NotFinite(identity_, method_, std::string("returned ") + name + " " + place(i),
                      "every number must be finite: look for a division by zero, a logarithm of zero, or a number "
                      "beyond 3.4e38");
    }
  }

  std::vector<std::string> names(std::vector<std::string> names, size_t least) const {
    constexpr auto ok = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    if (names.size() < least) refuse("returned no names", "a reward has at least one part, the reward itself");
    for (auto name = names.begin(); name != names.end(); ++name) {
      const bool only_dots = name->find_first_not_of('.') == std::string::npos;  // or empty
      if (only_dots || name->size() > 64 || name->find_first_not_of(ok) != std::string::npos) {
        refuse("returned the name '" + *name + "'",
               "a name is up to 64 letters, digits, '_', '-' and '.', not dots alone");
      }
      if (std::find(names.begin(), name, *name) != name) refuse("returned the name '" + *name + "' twice", "");
    }
    return names;
  }

 private:
  const char* header() const {
    return identity_.kind == Reward::kind        ? "reward.h"
           : identity_.kind == Reweighting::kind ? "reweighting.h"
                                                 : "similarity.h";
  }

  static std::string name_of(at::ScalarType type) {
    return type == at::kFloat ? "float32" : type == at::kDouble ? "float64" : c10::toString(type);
  }

  static std::string text(at::IntArrayRef sizes) {
    std::string list;
    for (const int64_t size : sizes) list += (list.empty() ? "" : ", ") + std::to_string(size);
    return "[" + list + "]";
  }

  const Identity& identity_;
  const char* method_;
};

// Completions are counted from 0, as in the record of a run.
std::string cell(const char* what, int64_t i, const std::vector<std::string>& columns) {
  const auto n = static_cast<int64_t>(columns.size());
  return std::string(what) + " '" + columns[static_cast<size_t>(i % n)] + "' of completion " + std::to_string(i / n) +
         " (the first is 0)";
}

bool same(const std::vector<Completion>& a, const std::vector<Completion>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Completion& x, const Completion& y) {
    return x.text == y.text && x.tokens == y.tokens && x.finished == y.finished;
  });
}

int64_t count(const std::vector<std::string>& list) { return static_cast<int64_t>(list.size()); }

}  // namespace

int64_t records_in(Plugin<Dataset>& dataset, const std::string& split, const std::string& setting) {
  const auto size_of = [&](const std::string& name) {
    return dataset.call("size", [&](Dataset& d) { return d.size(name); });
  };
  if (const auto size = size_of(split); size > 0) return size;
  std::string held;
  for (const char* usual : {"train", "valid", "test"}) {
    if (const auto size = size_of(usual); size > 0)
      held += fmt::format("{}{} in {}", held.empty() ? "" : ", ", size, usual);
  }
  throw Error("datasets/" + dataset.identity().name, fmt::format("has no records in split '{}'", split),
              fmt::format("{} names a split; {}", setting, held.empty() ? "none has any" : "there are " + held),
              Exit::data);
}

LeftOut left_out(Plugin<Dataset>& dataset) {
  const auto all = dataset.call("unreadable", [](Dataset& d) { return d.unreadable(); });
  LeftOut found{static_cast<int64_t>(all.size()), ""};
  if (!all.empty())
    found.text = fmt::format("datasets/{} leaves out {} record{} that can't be read; the first: {}, record {}: {}",
                             dataset.identity().name, all.size(), all.size() == 1 ? "" : "s", all[0].file,
                             all[0].record, all[0].reason);
  return found;
}

std::vector<std::string> parts(Plugin<Reward>& reward) {
  return Door(reward.identity(), "parts").names(reward.call("parts", [](Reward& r) { return r.parts(); }), 1);
}

at::Tensor score(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names) {
  const Door door(reward.identity(), "score");
  const auto G = static_cast<int64_t>(group.completions.size());
  const auto before = group.completions;
  const auto scores =
      door.tensor(reward.call("score", [&](Reward& r) { return r.score(group); }), at::kFloat, {G, count(names)});
  if (!same(before, group.completions))
    door.refuse("wrote into the completions", "other rewards get the same: change a copy");
  const bool abstains = reward.call("abstains", [](Reward& r) { return r.abstains(); });
  door.finite<float>(
      scores, [&](int64_t i) { return cell("for part", i, names); }, abstains);
  return scores;
}

std::string culprit(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names,
                    const Failure& failure) {
  const bool its_own = failure.plugin() == reward.identity().title() && failure.exit() == Exit::plugin;
  if (!its_own || failure.problem().find("completion") != std::string::npos) return "";
  std::vector<size_t> found;
  for (size_t i = 0; i < group.completions.size(); ++i) {
    const std::vector<Completion> one{group.completions[i]};
    try {
      score(reward, {group.example, one}, names);
    } catch (const Failure& alone) {
      if (alone.problem() == failure.problem()) found.push_back(i);
    }
  }
  if (found.empty()) return "";
  const bool all = found.size() > 1 && found.size() == group.completions.size();
  return all ? "every completion" : "completion " + std::to_string(found.front()) + " (the first is 0)";
}

std::vector<std::string> factors(Plugin<Reweighting>& reweighting) {
  return Door(reweighting.identity(), "factors")
      .names(reweighting.call("factors", [](Reweighting& r) { return r.factors(); }), 0);
}

at::Tensor reweight(Plugin<Reweighting>& reweighting, const Group& group, const at::Tensor& rewards,
                    const std::vector<std::string>& names) {
  const Door door(reweighting.identity(), "reweight");
  std::vector<std::string> columns{"reward"};
  columns.insert(columns.end(), names.begin(), names.end());
  const auto G = static_cast<int64_t>(group.completions.size());
  const auto result =
      door.tensor(reweighting.call("reweight", [&](Reweighting& r) { return r.reweight(group, rewards); }), at::kDouble,
                  {G, count(columns)});
  door.finite<double>(result, [&](int64_t i) { return cell("in column", i, columns); });
  return result;
}

at::Tensor compare(Plugin<Similarity>& similarity, const std::vector<std::string>& a,
                   const std::vector<std::string>& b) {
  const Door door(similarity.identity(), "compare");
  const auto cosines = door.tensor(similarity.call("compare", [&](Similarity& s) { return s.compare(a, b); }),
                                   at::kDouble, {count(a), count(b)});
  const auto place = [&](int64_t i) {
    return "for text " + std::to_string(i / count(b)) + " of the first list and " + std::to_string(i % count(b)) +
           " of the second (the first is 0)";
  };
  door.finite<double>(cosines, place);
  for (int64_t i = 0; i < cosines.numel(); ++i) {
    const double cosine = cosines.const_data_ptr<double>()[i];
    if (std::abs(cosine) > 1 + 1e-6) {
      door.refuse("returned " + std::to_string(cosine) + " " + place(i), "a cosine lies in [-1, 1]");
    }
  }
  return cosines;
}

namespace {

void check(const Door& door, const Outcome& outcome, size_t number) {
  const std::string whose = " for record " + std::to_string(number) + " (the first is 0)";
  for (const nlohmann::json& record : outcome.records) {
    const bool named = record.is_object() && record.contains("id") && record.at("id").is_string();
    if (!named || record.at("id").get_ref<const std::string&>().empty())
      door.refuse("made a record without an id" + whose, "a record is an object with an \"id\"");
  }
  const bool goes_on = outcome.unchanged || !outcome.records.empty();
  if (goes_on == !outcome.dropped.empty()) {
    door.refuse(goes_on ? "gave records and a reason" + whose : "gave neither records nor a reason" + whose,
                "'dropped' says why there are no records");
  }
  if (outcome.unchanged && !outcome.records.empty())
    door.refuse("gave records and says the record is unchanged" + whose, "give one or the other");
  for (const auto& [name, value] : outcome.counts) {
    if (!std::isfinite(value)) door.refuse("counted '" + name + "' as " + std::to_string(value) + whose, "");
  }
}

}  // namespace

std::vector<Outcome> make(Plugin<Stage>& stage, const std::vector<nlohmann::json>& records) {
  const Door door(stage.identity(), "make");
  auto outcomes = stage.call("make", [&](Stage& s) { return s.make(records); });
  if (outcomes.size() != records.size()) {
    door.refuse(
        "gave " + std::to_string(outcomes.size()) + " outcomes for " + std::to_string(records.size()) + " records",
        "one for each, in their order");
  }
  for (size_t i = 0; i < outcomes.size(); ++i) check(door, outcomes[i], i);
  return outcomes;
}

void answer(Plugin<Chat>& chat, const std::vector<ChatRequest>& requests, const Chat::Arrived& arrived,
            const std::function<bool()>& cancelled) {
  const Door door(chat.identity(), "answer");
  std::vector<bool> answered(requests.size());
  const auto asker = std::this_thread::get_id();
  std::atomic<bool> elsewhere = false;  // an exception there would end the process
  chat.call("answer", [&](Chat& c) {
    c.answer(requests, [&](size_t request, ChatReply reply) {
      if (std::this_thread::get_id() != asker) {
        elsewhere = true;
        return;
      }
      if (request >= requests.size() || answered[request]) {
        door.refuse("answered request " + std::to_string(request) + " of " + std::to_string(requests.size()) +
                        (request < requests.size() ? " twice" : ", which was not asked"),
                    "each request is answered once");
      }
      answered[request] = true;
      arrived(request, std::move(reply));
    });
  });
  if (elsewhere) door.refuse("told of a reply on another thread", "the thread that called answer() tells of them");
  const auto missing = std::find(answered.begin(), answered.end(), false);
  if (missing != answered.end()) {
    if (cancelled && cancelled()) {
      throw Error(chat.identity().title(), "was stopped before it had answered all requests",
                  "the run can go on from here: answers that are there are not asked for again", Exit::preempted);
    }
    door.refuse("did not answer request " + std::to_string(missing - answered.begin()),
                "a request that can't be answered has a reply that says why");
  }
}

}  // namespace compeer::plugin
