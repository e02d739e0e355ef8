#include "train/batch/records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "comm/share.h"
#include "train/batch/order.h"

namespace compeer::train {

namespace {

constexpr uint32_t most_draws = 10000;  // for the place of one record

}  // namespace

Records::Records(Cast& cast, const Settings& dataset, Wanted wanted)
    : cast_(cast),
      prompts_(cast, dataset),
      wanted_(std::move(wanted)),
      errors_(dataset.text("long_prompts") == "error") {}

Records Records::first(comm::World& world, Cast& cast, const Settings& dataset, Wanted wanted, int64_t count) {
  Records made(cast, dataset, std::move(wanted));
  const int64_t all = world.together("read", [&] { return cast.records(made.wanted_.split); });
  std::vector<int64_t> records;
  std::string verdicts;
  for (int64_t next = 0; next < all && std::ssize(made.chosen_) < count;) {
    std::vector<int64_t> some(static_cast<size_t>(std::min(all - next, count - std::ssize(made.chosen_))));
    std::iota(some.begin(), some.end(), next);
    const auto found = made.verdicts(world, some);
    for (size_t i = 0; i < some.size(); ++i) {
      if (found[i] == whole || found[i] == trimmed) made.chosen_.push_back(some[i]);
    }
    next += std::ssize(some);
    records.insert(records.end(), some.begin(), some.end());
    verdicts += found;
  }
  made.size_ = std::ssize(made.chosen_);
  made.count(world, records, verdicts);
  return made;
}

Records Records::shuffled(comm::World& world, Cast& cast, const Settings& dataset, Wanted wanted, uint64_t seed,
                          uint64_t count) {
  Records made(cast, dataset, std::move(wanted));
  made.seed_ = seed;
  made.size_ = world.together("read", [&] { return cast.records(made.wanted_.split); });
  const auto all = static_cast<uint64_t>(made.size_);
  std::vector<int64_t> records(std::min(count, all));  // an epoch has every record once
  std::iota(records.begin(), records.end(), 0);
  if (count < all) {
    for (int64_t& record : records) record = record_at(seed, static_cast<uint64_t>(record), made.size_);
  }
  made.count(world, records, made.verdicts(world, records));
  return made;
}

int64_t Records::after(const Example& example) const {
  return wanted_.then == Then::completion ? wanted_.completion : std::ssize(cast_.chat().answer(example.answer));
}

Records::Read Records::look(int64_t record) const {
  Example example = cast_.record(wanted_.split, record);
  if (wanted_.then == Then::answer_alone && example.answer.empty()) return {std::move(example), {}, unanswered};
  Prompt prompt = prompts_.of(example, after(example));
  const Verdict verdict = !prompt.fits ? skipped : prompt.trimmed ? trimmed : whole;
  return {std::move(example), std::move(prompt), verdict};
}

// What each record is good for, found out by all ranks together.
std::string Records::verdicts(comm::World& world, const std::vector<int64_t>& records) const {
  const auto mine = comm::share(std::ssize(records), world.size(), world.rank());
  const std::string own = world.together("read", [&] {
    std::string found;
    for (int64_t i = mine.first; i < mine.first + mine.count; ++i) {
      const Read one = look(records[static_cast<size_t>(i)]);
      if (one.verdict == skipped && errors_)
        throw Error(one.example.id,
                    fmt::format("its prompt has {} tokens, there is room for {}", one.prompt.tokens.size(),
                                std::max<int64_t>(prompts_.limit(after(one.example)), 0)),
                    "dataset.long_prompts = \"trim\" leaves out the oldest turns, \"skip\" the record", Exit::data);
      found += one.verdict;
      comm::mark_progress();
    }
    return found;
  });
  std::string all;
  for (const auto& part : world.gather(own)) all += part;
  world.broadcast(all);
  return all;
}

void Records::count(comm::World& world, const std::vector<int64_t>& records, const std::string& verdicts) {
  looked_at_ = std::ssize(records);
  for (const char verdict : verdicts) ++counts_[static_cast<size_t>(verdict)];
  world.together("read", [&] { remark(records, verdicts); });
  if (world.rank() != 0) return;
  for (const auto& text : remarks_) fmt::print(stderr, "compeer: note: {}\n", text);
}

void Records::remark(const std::vector<int64_t>& records, const std::string& verdicts) {
  const auto tell = [&](Verdict what, const std::string& text) {
    const auto first = verdicts.find(static_cast<char>(what));
    if (first == verdicts.npos) return;
    const Example example = cast_.record(wanted_.split, records[first]);
    auto line = fmt::format("split '{}': of {} records to be read {} {} {}; the first is {}", wanted_.split, looked_at_,
                            counts_[what], counts_[what] == 1 ? "is" : "are", text, example.id);
    if (what != unanswered)
      line += fmt::format(", with {} tokens where there is room for {}", prompts_.whole(example).tokens.size(),
                          std::max<int64_t>(prompts_.limit(after(example)), 0));
    remarks_.push_back(std::move(line));
  };
  tell(trimmed, "too long and trimmed: the oldest turns are left out");
  tell(skipped, "too long and skipped");
  tell(unanswered, "without an answer to learn from and skipped");
  if (counts_[whole] + counts_[trimmed] > 0) return;
  throw Error("datasets/" + cast_.dataset().identity().name,
              fmt::format("has no record that can be used: {}", fmt::join(remarks_, "; ")),
              counts_[unanswered] > 0 ? "sft learns answers: is this the right data set?"
                                      : "raise dataset.max_prompt_tokens, or the model's max_position_embeddings",
              Exit::data);
}

// The record, or the one that has its place.
Records::Read Records::usable(int64_t record) const {
  Read one = look(record);
  const auto low = static_cast<uint32_t>(record), high = static_cast<uint32_t>(static_cast<uint64_t>(record) >> 32);
  for (uint32_t draw = 0; one.verdict == skipped || one.verdict == unanswered; ++draw) {
    if (draw == most_draws)
      throw Error("split '" + wanted_.split + "'", fmt::format("{} draws found no record that can be used", most_draws),
                  "raise dataset.max_prompt_tokens, or take a data set with shorter prompts", Exit::data);
    one = look(static_cast<int64_t>(below(static_cast<uint64_t>(size_), seed_, Stream::other_record, low, high, draw)));
  }
  return one;
}

std::vector<ScoredGroup> Records::read(int64_t first, int64_t count,
                                       const std::function<int64_t(int64_t)>& record_of) const {
  std::vector<ScoredGroup> groups;
  for (int64_t index = first; index < first + count; ++index) {
    const int64_t record = record_of(index);
    Read one = usable(chosen_.empty() ? record : chosen_[static_cast<size_t>(record)]);
    ScoredGroup group;
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
          {"records", looked_at_},
          {"trimmed", counts_[trimmed]},
          {"skipped", counts_[skipped]},
          {"unanswered", counts_[unanswered]}};
}

}  // namespace compeer::train
