#include "data/begun.h"

#include <optional>

#include "base/reading.h"
#include "record/crc32c.h"

namespace compeer::data {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto pause = std::chrono::seconds(1);  // between writes

// Precedes each entry. The checksum covers the length, too: zeros, which a power failure may leave, are no entry.
struct Head {
  uint64_t bytes = 0;
  uint64_t crc = 0;
};

uint64_t checksum(std::string_view entry) {
  return record::crc32c(std::to_string(entry.size()).append(":").append(entry));
}

// The next entry of `file`, if it is whole. `left`: number of bytes from this entry to the end of the file.
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

Begun::Begun(std::filesystem::path file, std::string_view form, const std::function<void(std::string_view made)>& each)
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

void Begun::keep(std::string_view made) {
  if (!stream_) return;
  append(made);
  if (!stream_ || Clock::now() - written_ < pause) return;
  if (std::fflush(stream_.get()) != 0) return give_up();
  written_ = Clock::now();
}

void Begun::append(std::string_view made) {
  const Head head{made.size(), checksum(made)};
  const bool whole = std::fwrite(&head, sizeof head, 1, stream_.get()) == 1 &&
                     std::fwrite(made.data(), 1, made.size(), stream_.get()) == made.size();
  if (!whole) give_up();
}

// Its space is what the run's last words are written to.
void Begun::give_up() {
  stream_.reset();
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace compeer::data
