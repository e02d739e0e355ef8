// Runs one stage over all ranks. Rank 0 gathers the portions in order and writes them; finished portions are stored, so
// that a killed run resumes.
#include "data/production.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "data/lines.h"
#include "record/crc32c.h"

namespace compeer::data {

namespace {

using Clock = std::chrono::steady_clock;

// If portions are fast, ranks would mostly wait for each other. Several portions are then made between two gathers,
// unless answers are unreadable and the stage may have to end early.
constexpr auto long_enough = std::chrono::milliseconds(100);
constexpr int64_t most_portions = 16;

// Rank 0's output: writes the gathered portions to the files.
class Output {
 public:
  Output(const StageWork& production, const std::filesystem::path& folder) : production_(production) {
    if (folder.empty()) return;
    records_.emplace(folder / "records.jsonl");
    dropped_.emplace(folder / "dropped.jsonl");
    if (production.partial_file.empty()) return;
    const auto form = fmt::format("1, of {} records each", production.portion);
    begun_.emplace(production.partial_file, form, [this](std::string_view kept) {
      before_ = std::stod(std::string(take_packed(kept)));
      take(PortionResult::unpack(kept));
      ++kept_;
    });
  }

  // Number of portions that an earlier process finished.
  int64_t kept() const { return kept_; }

  // Takes all ranks' portions, in order. Portions after a hopeless one are ignored, so that the result does not depend
  // on the number of ranks.
  void take(const std::vector<std::string>& packed) {
    for (std::string_view bytes : packed) {
      while (!bytes.empty() && !product_.stopped) {
        const auto one = take_packed(bytes);
        const auto portion = PortionResult::unpack(one);
        if (portion.asked.questions > 0) begun_.reset();
        if (begun_) keep(one);
        take(portion);
      }
    }
  }

  bool stopped() const { return product_.stopped; }

  StageResult finish() {
    if (records_) records_->finish();
    if (dropped_) dropped_->finish();
    product_.seconds = seconds();
    return std::move(product_);
  }

 private:
  void take(const PortionResult& portion) {
    if (records_) records_->write(portion.records);
    if (dropped_) dropped_->write(portion.dropped);
    product_.tally.add(portion.tally);
    product_.summaries += portion.summaries;
    product_.stopped = production_.should_stop && production_.should_stop(portion);
  }

  double seconds() const { return before_ + std::chrono::duration<double>(Clock::now() - start_).count(); }

  void keep(std::string_view portion) {
    std::string made;
    put_packed(std::to_string(seconds()), made);
    begun_->keep(made.append(portion));
  }

  const StageWork& production_;
  const Clock::time_point start_ = Clock::now();
  double before_ = 0;  // seconds of earlier processes
  int64_t kept_ = 0;
  std::optional<LineWriter> records_, dropped_;
  std::optional<PartialStageFile> begun_;
  StageResult product_;
};

// Portions that one rank made between two gathers.
struct Portions {
  std::string bytes;        // the packed portions; empty if none were left
  bool unreadable = false;  // true if an answer was unreadable
};

Portions made(const StageWork& production, int64_t first, int64_t count) {
  Portions all;
  const int64_t end = std::min(first + count, production.total);
  for (; first < end; first += production.portion) {
    const PortionResult one = production.make(first, std::min(production.portion, end - first));
    put_packed(one.pack(), all.bytes);
    all.unreadable = all.unreadable || one.asked.malformed + own_questions(one.tally).malformed > 0;
  }
  return all;
}

[[noreturn]] void stopped(const std::string& name) {
  throw Error("", "stopped in stage " + name + " as requested; finished records are kept",
              "run the same command to continue", Exit::preempted);
}

// Collective. Returns the index of the first record that an earlier process has not processed.
int64_t goes_on_at(comm::World& world, const StageWork& production, const std::optional<Output>& output) {
  int64_t begin = output ? std::min(output->kept() * production.portion, production.total) : 0;
  world.broadcast(std::as_writable_bytes(std::span(&begin, 1)));
  if (output && begin > 0) production.progress(begin);
  return begin;
}

constexpr auto pause = std::chrono::seconds(1);  // time between two flushes

// Precedes each entry. The checksum includes the length, so that zeros, which a power failure may leave, are invalid.
struct Head {
  uint64_t bytes = 0;
  uint64_t crc = 0;
};

uint64_t checksum(std::string_view entry) {
  return record::crc32c(std::to_string(entry.size()).append(":").append(entry));
}

// Returns the next entry of `file` if it is complete and undamaged. `left`: number of bytes from this entry to the end
// of the file.
std::optional<std::string> next(std::ifstream& in, const std::filesystem::path& file, uint64_t& left) {
  const auto read = [&](void* bytes, uint64_t size) {
    in.read(static_cast<char*>(bytes), static_cast<std::streamsize>(size));
    check_read(in, file);
    return bool(in);
  };
  Head head;
  if (left < sizeof head || !read(&head, sizeof head)) return std::nullopt;
  if (head.bytes > left - sizeof head) return std::nullopt;
  std::string entry(head.bytes, '\0');
  if (!read(entry.data(), head.bytes) || checksum(entry) != head.crc) return std::nullopt;
  left -= sizeof head + head.bytes;
  return entry;
}

}  // namespace

StageResult produce(comm::World& world, const comm::StopFlag& stop, const StageWork& production,
                    const std::filesystem::path& folder) {
  std::optional<Output> output;
  world.run_on_all_ranks("write", [&] {
    if (world.rank() == 0) output.emplace(production, folder);
  });
  int64_t portions = 1;
  for (int64_t begin = goes_on_at(world, production, output); begin < production.total;) {
    const auto start = Clock::now();
    const int64_t count = production.portion * portions;
    const auto mine =
        world.run_on_all_ranks(production.name, [&] { return made(production, begin + count * world.rank(), count); });
    const bool meet_soon = world.any(mine.unreadable || Clock::now() - start > long_enough);
    const auto all = world.gather(mine.bytes);
    begin += count * world.size();
    world.run_on_all_ranks("write", [&] {
      if (output) output->take(all);
      if (output) production.progress(std::min(begin, production.total));
    });
    if (world.any(output && output->stopped())) break;
    if (world.any(stop.raised())) stopped(production.name);
    portions = meet_soon ? std::max<int64_t>(portions / 2, 1) : std::min(portions * 2, most_portions);
  }
  return world.run_on_all_ranks("write", [&] { return output ? output->finish() : StageResult(); });
}

PartialStageFile::PartialStageFile(std::filesystem::path file, std::string_view form,
                                   const std::function<void(std::string_view made)>& each)
    : file_(std::move(file)), written_(Clock::now()) {
  std::error_code code;
  const uint64_t all = std::filesystem::file_size(file_, code);
  uint64_t left = code ? 0 : all;
  std::ifstream kept;
  if (!code) kept = open_to_read(file_);
  const bool known = next(kept, file_, left) == form;
  while (const auto made = known ? next(kept, file_, left) : std::nullopt) each(*made);
  if (known) std::filesystem::resize_file(file_, all - left, code);
  stream_.reset(std::fopen(file_.c_str(), known ? "ab" : "wb"));
  if (!known && stream_) append(form);
}

void PartialStageFile::keep(std::string_view made) {
  if (!stream_) return;
  append(made);
  if (!stream_ || Clock::now() - written_ < pause) return;
  if (std::fflush(stream_.get()) != 0) return give_up();
  written_ = Clock::now();
}

void PartialStageFile::append(std::string_view made) {
  const Head head{made.size(), checksum(made)};
  const bool whole = std::fwrite(&head, sizeof head, 1, stream_.get()) == 1 &&
                     std::fwrite(made.data(), 1, made.size(), stream_.get()) == made.size();
  if (!whole) give_up();
}

// Frees the space of the file, so that on a full disk the log and the error can be written.
void PartialStageFile::give_up() {
  stream_.reset();
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace compeer::data
