// Selects, inspects and reads the records of a split, trims prompts that are too long, and shuffles the training order.
#include "train/batch/records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "comm/share.h"

namespace compeer::train {

namespace {

bool is_system(const std::vector<Turn>& turns) { return !turns.empty() && turns.front().role == "system"; }

// Indices at which the rest of the turns may begin if the oldest, from `first` on, are removed: not at an assistant's
// turn, whose question would be missing, unless it is the last turn.
std::vector<ptrdiff_t> beginnings(const std::vector<Turn>& turns, ptrdiff_t first) {
  std::vector<ptrdiff_t> all;
  for (ptrdiff_t i = first + 1; i < std::ssize(turns); ++i) {
    if (turns[static_cast<size_t>(i)].role != "assistant" || i + 1 == std::ssize(turns)) all.push_back(i);
  }
  return all;
}

constexpr uint32_t most_draws = 10000;  // attempts to replace one unusable record

bool share_dialogues(std::vector<uint64_t> dialogues) {
  std::sort(dialogues.begin(), dialogues.end());
  return std::adjacent_find(dialogues.begin(), dialogues.end()) != dialogues.end();
}

// Indices 0 ... all - 1: first `count` of them at even distances, then the others.
std::vector<int64_t> spread(int64_t all, int64_t count) {
  std::vector<int64_t> order;
  std::vector<bool> taken(static_cast<size_t>(all));
  for (int64_t i = 0; i < count; ++i) {
    order.push_back(i * all / count);
    taken[static_cast<size_t>(order.back())] = true;
  }
  for (int64_t record = 0; record < all; ++record) {
    if (!taken[static_cast<size_t>(record)]) order.push_back(record);
  }
  return order;
}

// Hash of the record's "dialogue". A record without that field is a dialogue of its own.
uint64_t dialogue_of(const Example& example) {
  const auto named = example.record.is_object() ? example.record.find("dialogue") : example.record.end();
  const bool found = example.record.is_object() && named != example.record.end() && named->is_string();
  return std::hash<std::string>()(found ? named->get_ref<const std::string&>() : "\n" + example.id);
}

// A Feistel network over the next power of four is a permutation. Repeating it until the result is below `size` (cycle
// walking, at most about four times on average) makes it a permutation of [0, size).
int64_t permuted(uint64_t seed, uint64_t position, int64_t size) {
  const auto n = static_cast<uint64_t>(size);
  const auto epoch = static_cast<uint32_t>(position / n);
  uint32_t half = 1;
  while ((uint64_t{1} << (2 * half)) < n) ++half;
  const uint64_t mask = (uint64_t{1} << half) - 1;
  uint64_t x = position % n;
  do {
    uint64_t left = x >> half, right = x & mask;
    for (uint32_t round = 0; round < 4; ++round) {
      const uint64_t mixed = random_bits(seed, Stream::shuffle, epoch, round, static_cast<uint32_t>(right))[0] & mask;
      const uint64_t next = left ^ mixed;
      left = right;
      right = next;
    }
    x = left << half | right;
  } while (x >= n);
  return static_cast<int64_t>(x);
}

}  // namespace

RecordPrompts::RecordPrompts(const RunPlugins& plugins, const Settings& dataset)
    : plugins_(plugins),
      system_(dataset.has("system") ? std::optional(dataset.text("system")) : std::nullopt),
      positions_(plugins.positions()),
      most_(dataset.has("max_prompt_tokens") ? dataset.integer("max_prompt_tokens") : positions_),
      trims_(dataset.text("long_prompts") == "trim") {}

int64_t RecordPrompts::limit(int64_t after) const { return std::min(most_, positions_ - after); }

RecordPrompt RecordPrompts::read(const Example& example, std::vector<Turn> turns) const {
  auto pictures = plugins_.vision_input().read(turns, example.id);
  auto tokens = plugins_.vision_input().prompt(plugins_.chat(), turns, pictures, example.id);
  return {std::move(turns), std::move(pictures), std::move(tokens)};
}

RecordPrompt RecordPrompts::whole(const Example& example) const {
  auto turns = example.history;
  if (system_) {
    if (is_system(turns)) turns.erase(turns.begin());
    turns.insert(turns.begin(), {"system", *system_});
  }
  return read(example, std::move(turns));
}

RecordPrompt RecordPrompts::of(const Example& example, int64_t after) const {
  RecordPrompt all = whole(example);
  const int64_t most = limit(after);
  if (std::ssize(all.tokens) <= most) return all;
  all.fits = false;
  if (!trims_) return all;
  const auto first = static_cast<ptrdiff_t>(is_system(all.turns) ? 1 : 0);
  const auto from = [&](ptrdiff_t begin) {
    auto turns = all.turns;
    turns.erase(turns.begin() + first, turns.begin() + begin);
    auto rest = read(example, std::move(turns));
    rest.trimmed = true;
    return rest;
  };
  // Binary search: the number of tokens decreases with the number of turns.
  const auto places = beginnings(all.turns, first);
  const auto begin = std::partition_point(places.begin(), places.end(),
                                          [&](ptrdiff_t one) { return std::ssize(from(one).tokens) > most; });
  return begin == places.end() ? all : from(*begin);
}

Records::Records(RunPlugins& plugins, const Settings& dataset, RecordFilter wanted)
    : plugins_(plugins),
      prompts_(plugins, dataset),
      wanted_(std::move(wanted)),
      errors_(dataset.text("long_prompts") == "error") {}

Records Records::select(comm::World& world, RunPlugins& plugins, const Settings& dataset, RecordFilter wanted,
                        int64_t count) {
  Records made(plugins, dataset, std::move(wanted));
  const int64_t all = world.run_on_all_ranks("read", [&] { return plugins.records(made.wanted_.split); });
  std::vector<int64_t> order(static_cast<size_t>(all));
  std::iota(order.begin(), order.end(), 0);
  made.take(world, order, count);
  if (count < all && share_dialogues(made.dialogues_)) made.take(world, spread(all, count), count);
  return made;
}

// Selects the first `count` usable records in this order.
void Records::take(comm::World& world, const std::vector<int64_t>& order, int64_t count) {
  chosen_.clear();
  dialogues_.clear();
  std::vector<int64_t> records;
  std::vector<Inspected> all;
  while (records.size() < order.size() && std::ssize(chosen_) < count) {
    const auto next = order.begin() + std::ssize(records);
    const std::vector<int64_t> some(next, next + std::min(order.end() - next, count - std::ssize(chosen_)));
    const auto found = inspect_all(world, some);
    for (size_t i = 0; i < some.size(); ++i) {
      if (!found[i].usable()) continue;
      chosen_.push_back(some[i]);
      dialogues_.push_back(found[i].dialogue);
    }
    records.insert(records.end(), some.begin(), some.end());
    all.insert(all.end(), found.begin(), found.end());
  }
  size_ = std::ssize(chosen_);
  summarize(world, records, all);
}

Records Records::shuffled(comm::World& world, RunPlugins& plugins, const Settings& dataset, RecordFilter wanted,
                          uint64_t seed, uint64_t count) {
  Records made(plugins, dataset, std::move(wanted));
  made.seed_ = seed;
  made.size_ = world.run_on_all_ranks("read", [&] { return plugins.records(made.wanted_.split); });
  check_neighbours(made.wanted_.neighbours, made.wanted_.split, made.size_);
  const auto all = static_cast<uint64_t>(made.size_);
  std::vector<int64_t> records(std::min(count, all));  // an epoch has every record once
  std::iota(records.begin(), records.end(), 0);
  if (count < all) {
    for (int64_t& record : records) record = made.at(static_cast<uint64_t>(record));
  }
  made.summarize(world, records, made.inspect_all(world, records));
  return made;
}

int64_t Records::at(uint64_t position) const { return record_at(seed_, position, size_, wanted_.neighbours); }

int64_t Records::after(const Example& example) const {
  return wanted_.reserve == Reserve::completion ? wanted_.completion
                                                : std::ssize(plugins_.chat().answer(example.answer));
}

Records::Read Records::inspect(int64_t record) const {
  Example example = plugins_.record(wanted_.split, record);
  if (wanted_.reserve == Reserve::required_answer && example.answer.empty())
    return {std::move(example), {}, unanswered};
  RecordPrompt prompt = prompts_.of(example, after(example));
  const PromptState verdict = !prompt.fits ? skipped : prompt.trimmed ? trimmed : whole;
  return {std::move(example), std::move(prompt), verdict};
}

// Collective. Determines whether each record is usable. The ranks divide the work among them.
std::vector<Records::Inspected> Records::inspect_all(comm::World& world, const std::vector<int64_t>& records) const {
  const auto mine = comm::leaves_of_rank(std::ssize(records), world.size(), world.rank());
  const auto own = world.run_on_all_ranks("read", [&] {
    std::vector<Inspected> found;
    for (int64_t i = mine.first; i < mine.first + mine.count; ++i) {
      const Read one = inspect(records[static_cast<size_t>(i)]);
      found.push_back({one.verdict, std::ssize(one.prompt.tokens), dialogue_of(one.example)});
      comm::mark_progress();
    }
    return found;
  });
  std::string bytes;
  for (const auto& part : world.gather({reinterpret_cast<const char*>(own.data()), own.size() * sizeof(Inspected)}))
    bytes += part;
  world.broadcast(bytes);
  std::vector<Inspected> all(records.size());
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

void Records::summarize(comm::World& world, const std::vector<int64_t>& records, const std::vector<Inspected>& seen) {
  inspected_ = std::ssize(records);
  remarks_.clear();
  std::fill(std::begin(counts_), std::end(counts_), 0);
  for (const Inspected& one : seen) ++counts_[one.verdict];
  world.run_on_all_ranks("read", [&] {
    if (errors_ && counts_[skipped] > 0) refuse_long(records, seen);
    remark(records, seen);
  });
}

std::string Records::tokens_of_first(PromptState what, const std::vector<int64_t>& records,
                                     const std::vector<Inspected>& seen) const {
  const auto first = std::find_if(seen.begin(), seen.end(), [&](const Inspected& one) { return one.verdict == what; });
  const Example example = plugins_.record(wanted_.split, records[static_cast<size_t>(first - seen.begin())]);
  if (what == unanswered) return example.id;
  return fmt::format("{}, with {} tokens where at most {} fit", example.id, prompts_.whole(example).tokens.size(),
                     std::max<int64_t>(prompts_.limit(after(example)), 0));
}

void Records::refuse_long(const std::vector<int64_t>& records, const std::vector<Inspected>& seen) const {
  int64_t longest = 0;
  for (const Inspected& one : seen) {
    if (one.verdict == skipped) longest = std::max(longest, one.tokens);
  }
  throw Error(
      fmt::format("split '{}'", wanted_.split),
      fmt::format("of {} records to be read {} {} too long; the first is {}; the longest has {} tokens", inspected_,
                  counts_[skipped], counts_[skipped] == 1 ? "is" : "are", tokens_of_first(skipped, records, seen),
                  longest),
      fmt::format("{}set dataset.long_prompts to \"trim\" to drop the oldest turns, or to \"skip\" to drop the records",
                  prompts_.is_limited() ? "raise dataset.max_prompt_tokens, or " : ""),
      Exit::data);
}

void Records::remark(const std::vector<int64_t>& records, const std::vector<Inspected>& seen) {
  const auto add = [&](PromptState what, const std::string& text) {
    if (counts_[what] == 0) return;
    remarks_.push_back(fmt::format("split '{}': of {} records to be read {} {} {}; the first is {}", wanted_.split,
                                   inspected_, counts_[what], counts_[what] == 1 ? "is" : "are", text,
                                   tokens_of_first(what, records, seen)));
  };
  const bool some_are_usable = counts_[whole] + counts_[trimmed] > 0;
  const std::string instead = chosen_.empty() && some_are_usable ? "; other records replace them" : "";
  add(trimmed, "too long and trimmed: the oldest turns are left out");
  add(skipped, "too long and skipped" + instead);
  add(unanswered, "without an answer to train on and skipped" + instead);
  if (some_are_usable) return;
  throw Error("datasets/" + plugins_.dataset().identity().name,
              fmt::format("has no usable record: {}", fmt::join(remarks_, "; ")),
              counts_[unanswered] > 0 ? "sft trains on answers: check that this is the right dataset"
                                      : "raise dataset.max_prompt_tokens, or the model's max_position_embeddings",
              Exit::data);
}

// Returns the record, or its replacement if it is not usable.
Records::Read Records::usable(int64_t record) const {
  Read one = inspect(record);
  const auto low = static_cast<uint32_t>(record), high = static_cast<uint32_t>(static_cast<uint64_t>(record) >> 32);
  for (uint32_t draw = 0; one.verdict == skipped || one.verdict == unanswered; ++draw) {
    if (draw == most_draws)
      throw Error("split '" + wanted_.split + "'", fmt::format("{} random draws found no usable record", most_draws),
                  "raise dataset.max_prompt_tokens, or use a dataset with shorter prompts", Exit::data);
    one = inspect(
        static_cast<int64_t>(below(static_cast<uint64_t>(size_), seed_, Stream::other_record, low, high, draw)));
  }
  return one;
}

Groups Records::read(int64_t first, int64_t count, const std::function<int64_t(int64_t)>& record_of) const {
  Groups groups;
  for (int64_t index = first; index < first + count; ++index) {
    const int64_t record = record_of(index);
    Read one = usable(chosen_.empty() ? record : chosen_[static_cast<size_t>(record)]);
    PromptGroup group;
    group.index = index;
    group.example = std::move(one.example);
    group.turns = std::move(one.prompt.turns);
    group.pictures = std::move(one.prompt.pictures);
    group.prompt = std::move(one.prompt.tokens);
    groups.push_back(std::move(group));
  }
  return groups;
}

nlohmann::json Records::counts() const {
  return {{"split", wanted_.split},
          {"records", inspected_},
          {"trimmed", counts_[trimmed]},
          {"skipped", counts_[skipped]},
          {"unanswered", counts_[unanswered]}};
}

int64_t record_at(uint64_t seed, uint64_t position, int64_t size, int64_t neighbours) {
  const auto n = static_cast<uint64_t>(neighbours);
  return permuted(seed, position / n, size / neighbours) * neighbours + static_cast<int64_t>(position % n);
}

void check_neighbours(int64_t neighbours, const std::string& split, int64_t size) {
  if (size % neighbours == 0) return;
  throw Error(
      "sft.neighbours",
      fmt::format("is {}, but split '{}' has {} examples, which is not a multiple of it", neighbours, split, size),
      "set it to the number of examples per record in the dataset: 3 for cer with view = \"prm\"", Exit::spec);
}

}  // namespace compeer::train
