#pragma once
#include <unistd.h>

#include <cstddef>

namespace compeer {

/// Text put together within a signal handler: a fixed buffer, no allocation, cut where it is full.
class SignalText {
 public:
  SignalText& add(const char* text) {
    for (; *text; ++text) put(*text);
    return *this;
  }
  SignalText& add(int number) {
    char digits[12];
    size_t n = 0;
    do digits[n++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    while (n > 0) put(digits[--n]);
    return *this;
  }
  /// As the inside of a JSON string.
  SignalText& quote(const char* text) {
    for (; *text; ++text) {
      if (*text == '"' || *text == '\\') put('\\');
      put(static_cast<unsigned char>(*text) < 0x20 ? ' ' : *text);
    }
    return *this;
  }
  const char* text() const { return buffer_; }
  void write_to(int file) const { [[maybe_unused]] const auto written = ::write(file, buffer_, size_); }

 private:
  void put(char c) {
    if (size_ + 1 < sizeof buffer_) buffer_[size_++] = c;
  }
  char buffer_[2048] = {};
  size_t size_ = 0;
};

/// "segmentation fault" for SIGSEGV: strsignal may allocate.
inline const char* signal_name(int signal) {
  switch (signal) {
    case 4:
      return "illegal instruction";
    case 6:
      return "abort";
    case 7:
      return "bus error";
    case 8:
      return "arithmetic error";
    case 11:
      return "segmentation fault";
    default:
      return "crash";
  }
}

}  // namespace compeer
