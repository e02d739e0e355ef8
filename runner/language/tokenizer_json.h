#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "language/tokenizer_pipeline.h"

namespace compeer::language {

/// Splits as ByteLevel does when it brings its own pattern: GPT-2's.
extern const char* const byte_level_pattern;

/// The steps of tokenizer.json: what stands there under "normalizer", "pre_tokenizer" and "decoder". All throw Error
/// (exit 4) naming `where` and the step that is not supported; what is no step at all is an exception of the library.
NormalForm read_normalizer(const nlohmann::ordered_json& file, const std::string& where);

/// byte_level: whether words are spelled as GPT-2 does at the end.
PreTokenizer read_pre_tokenizer(const nlohmann::ordered_json& file, const std::string& where, bool& byte_level);

/// A byte-level file needs no decoder.
TokenDecoder read_decoder(const nlohmann::ordered_json& file, const std::string& where, bool byte_level);

[[noreturn]] void unsupported_tokenizer(const std::string& where, const std::string& what);

}  // namespace compeer::language
