// What is asked of a dataset: examples that a model can learn from, each under an id of its own, the same ones in
// whatever order they are asked for.
#include <fmt/format.h>

#include <chrono>
#include <set>

#include "contract/worker/inputs.h"
#include "contract/worker/kit.h"
#include "contract/worker/watch.h"
#include "spec/text.h"

namespace compeer::contract {

namespace {

using Plugin = plugin::Plugin<Dataset>;

constexpr int64_t looked_at = 1000;  // examples of a split, as long as there is time
constexpr auto longest = std::chrono::seconds(10);
const std::vector<std::string> splits{"train", "valid", "test"};

int64_t size_of(Plugin& dataset, const std::string& split) {
  patience_begins();
  return dataset.call("size", [&](Dataset& d) { return d.size(split); });
}
Example get(Plugin& dataset, const std::string& split, int64_t index) {
  patience_begins();
  return dataset.call("get", [&](Dataset& d) { return d.get(split, index); });
}

Case<Dataset> gets(const std::string& split, int64_t index) {
  return {fmt::format("{} {}", split, index), "get",
          [split, index](Plugin& dataset) { return bytes(get(dataset, split, index)); }};
}

std::string unreadable(Plugin& dataset) {
  std::vector<std::string> all;
  for (const Unreadable& one : dataset.call("unreadable", [](Dataset& d) { return d.unreadable(); }))
    all.insert(all.end(), {one.file, std::to_string(one.record), one.reason});
  return bytes(all);
}

// "" if an example is whole.
std::string lacking(const Example& example) {
  if (example.id.empty()) return "has no id";
  if (example.learn < 1) return fmt::format("learns {} turns", example.learn);
  for (const Turn& turn : example.history) {
    if (turn.role != "system" && turn.role != "user" && turn.role != "assistant")
      return fmt::format("has a turn of the role '{}'", spec::printable(turn.role));
    if (!spec::valid_utf8(turn.text)) return "has a turn that is no UTF-8";
  }
  if (!spec::valid_utf8(example.answer)) return "has an answer that is no UTF-8";
  try {
    (void)example.record.dump();
  } catch (const nlohmann::json::exception&) {
    return "has a record that holds text which is no UTF-8";
  }
  return "";
}

// Every example up to some of each split, until `broken` finds one.
std::string first(Plugin& dataset, const std::function<std::string(const Example&)>& broken) {
  const auto until = std::chrono::steady_clock::now() + longest;
  for (const auto& split : splits) {
    const auto size = std::min(looked_at, size_of(dataset, split));
    for (int64_t i = 0; i < size && std::chrono::steady_clock::now() < until; ++i) {
      const auto why = broken(get(dataset, split, i));
      if (!why.empty()) return fmt::format("{} {} {}", split, i, why);
    }
  }
  return "";
}

std::string of_one_name(Plugin& dataset) {
  std::set<std::string> ids;
  return first(dataset, [&](const Example& example) {
    return ids.insert(example.id).second ? "" : "has the id of an earlier one: " + spec::printable(example.id);
  });
}

std::string in_an_unknown_split(Plugin& dataset) {
  const auto size = size_of(dataset, "no such split");
  return size == 0 ? "" : fmt::format("'no such split' has {}", size);
}

}  // namespace

Kit<Dataset> kit_for(const Subject<Dataset>& subject) {
  Kit<Dataset> kit;
  kit.cases.push_back({"train, valid and test", "size", [](Plugin& dataset) {
                         std::vector<std::string> sizes;
                         for (const auto& split : splits) sizes.push_back(std::to_string(size_of(dataset, split)));
                         return bytes(sizes);
                       }});
  for (const auto& split : splits) {
    const auto size = size_of(subject.plugin, split);
    for (const int64_t index : std::set<int64_t>{0, size / 2, size - 1}) {
      if (index >= 0 && index < size) kit.cases.push_back(gets(split, index));
    }
  }
  if (kit.cases.size() > 1) std::swap(kit.cases[0], kit.cases[1]);
  kit.cases.push_back({"what was left out", "unreadable", unreadable});
  kit.rules = {{"the first thousand examples are whole", "get", [](Plugin& d) { return first(d, lacking); }},
               {"each has an id of its own", "get", of_one_name},
               {"a split that it has not is empty", "size", in_an_unknown_split}};
  return kit;
}

}  // namespace compeer::contract
