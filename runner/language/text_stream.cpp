#include "language/text_stream.h"

namespace compeer::language {

std::string TextStream::push(int32_t id) {
  waiting_ += tokenizer_->bytes(id, keep_special_);
  return take_settled(waiting_);
}

std::string TextStream::finish() {
  const std::string rest = valid_utf8(waiting_);
  waiting_.clear();
  return rest;
}

}  // namespace compeer::language
