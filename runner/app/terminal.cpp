// Stream buffer that escapes control characters.
#include "app/terminal.h"

#include <string>
#include <string_view>

#include "spec/text.h"

namespace compeer::app {

namespace {

// Buffers text until the end of a line or a flush, so that no multi-byte character is split.
class Filter : public std::streambuf {
 public:
  explicit Filter(std::streambuf* out) : out_(out) {}

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    kept_.append(text, static_cast<size_t>(size));
    const auto end = kept_.rfind('\n');
    return end == std::string::npos || pass(end + 1) ? size : 0;
  }
  int sync() override { return pass(kept_.size()) && out_->pubsync() == 0 ? 0 : -1; }

 private:
  bool pass(size_t size) {
    const auto plain = spec::printable_lines(std::string_view(kept_).substr(0, size));
    kept_.erase(0, size);
    return out_->sputn(plain.data(), static_cast<std::streamsize>(plain.size())) ==
           static_cast<std::streamsize>(plain.size());
  }

  std::streambuf* out_;
  std::string kept_;
};

}  // namespace

EscapingOutput::EscapingOutput(std::ostream& stream)
    : stream_(stream), before_(stream.rdbuf()), filter_(std::make_unique<Filter>(before_)) {
  stream_.rdbuf(filter_.get());
}

EscapingOutput::~EscapingOutput() {
  stream_.flush();
  stream_.rdbuf(before_);
}

}  // namespace compeer::app
