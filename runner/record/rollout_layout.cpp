// Creates, opens and copies the datasets of rollout files, and parses their names.
#include "record/rollout_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "base/files.h"
#include "record/crc32c.h"

namespace compeer::record {

namespace {

template <class T>
void add(std::string& bytes, const std::vector<T>& list) {
  bytes += std::to_string(list.size()) + ':';
  bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
}

void add(std::string& bytes, const std::string& text) { bytes += std::to_string(text.size()) + ':' + text; }

std::filesystem::path with_suffix(const RolloutName& name, const char* suffix) {
  return name.folder / fmt::format("r{:04}-{:06}{}", name.rank, name.first_step, suffix);
}

// Parses the name of a rollout file; nullopt for other files.
std::optional<RolloutName> parse(const std::filesystem::path& file) {
  unsigned rank = 0;
  unsigned long long step = 0;
  if (std::sscanf(file.filename().c_str(), "r%u-%llu.h5", &rank, &step) != 2) return {};
  RolloutName name{file.parent_path(), static_cast<int>(rank), step};
  if (file == name.sealed() || file == name.part() || file == name.temporary()) return name;
  return {};
}

}  // namespace

uint64_t rollout_checksum(const RolloutRow& row, const RolloutRow& first) {
  std::string bytes = fmt::format("{} {} {} {} ", row.step, row.prompt, row.completion, row.finished);
  for (const auto* text : {&first.example_id, &first.prompt_text, &row.text}) add(bytes, *text);
  add(bytes, first.prompt_tokens);
  add(bytes, row.tokens);
  add(bytes, row.logprobs);
  add(bytes, row.values);
  return crc32c(bytes);
}

RolloutLayout RolloutLayout::create(const hdf::OpenFile& h5, const std::vector<std::string>& value_columns,
                                    bool compressed) {
  h5.text_attribute("format", rollout_format);
  h5.text_attribute("software", "compeer " COMPEER_VERSION);
  auto names = hdf::RaggedText::create(h5, "columns", "bytes", 4096);
  for (const auto& name : value_columns) names.add(name);
  names.write();

  // Allocating a chunk in an open file costs as much as a hundred writes, so chunks are large, and partly unused until
  // the file is sealed.
  const hsize_t few = compressed ? 4096 : 8192, many = compressed ? 65536 : 131072;
  auto array = [&](const std::string& path, hid_t type, hsize_t chunk) {
    return hdf::Array::create(h5, path, type, chunk, compressed);
  };
  const auto u64 = hdf::file_type<uint64_t>(), f64 = hdf::file_type<double>();
  RolloutLayout made;
  made.step = array("completions/step", u64, few);
  made.prompt = array("completions/prompt", u64, few);
  made.completion = array("completions/completion", u64, few);
  made.group = array("completions/group", u64, few);
  made.finished = array("completions/finished", hdf::file_type<uint8_t>(), few);
  for (const auto& name : value_columns) made.values.push_back(array("completions/values/" + name, f64, few));
  made.text = hdf::RaggedText::create(h5, "completions/text", "bytes", many, compressed);
  made.tokens = hdf::Ragged<int32_t>::create(h5, "completions/tokens", "ids", many, compressed);
  made.logprobs = array("completions/tokens/logprobs", hdf::file_type<float>(), many);
  made.example_id = hdf::RaggedText::create(h5, "groups/example_id", "bytes", few, compressed);
  made.prompt_text = hdf::RaggedText::create(h5, "groups/prompt", "bytes", many, compressed);
  made.prompt_tokens = hdf::Ragged<int32_t>::create(h5, "groups/prompt_tokens", "ids", many, compressed);
  made.checksum = array("completions/checksum", u64, few);
  made.committed = hdf::Array::create(h5, "committed", u64, 1);
  made.commit(0);
  return made;
}

RolloutLayout RolloutLayout::open(const hdf::OpenFile& h5, const std::vector<std::string>& value_columns) {
  auto array = [&](const std::string& path) { return hdf::Array::open(h5, path); };
  RolloutLayout opened;
  opened.committed = array("committed");
  opened.step = array("completions/step");
  opened.prompt = array("completions/prompt");
  opened.completion = array("completions/completion");
  opened.group = array("completions/group");
  opened.finished = array("completions/finished");
  for (const auto& name : value_columns) opened.values.push_back(array("completions/values/" + name));
  opened.text = hdf::RaggedText::open(h5, "completions/text", "bytes");
  opened.tokens = hdf::Ragged<int32_t>::open(h5, "completions/tokens", "ids");
  opened.logprobs = array("completions/tokens/logprobs");
  opened.example_id = hdf::RaggedText::open(h5, "groups/example_id", "bytes");
  opened.prompt_text = hdf::RaggedText::open(h5, "groups/prompt", "bytes");
  opened.prompt_tokens = hdf::Ragged<int32_t>::open(h5, "groups/prompt_tokens", "ids");
  if (h5.has("completions/checksum")) opened.checksum = array("completions/checksum");
  return opened;
}

std::vector<std::string> RolloutLayout::value_columns(const hdf::OpenFile& h5) {
  if (h5.text_attribute("format") != rollout_format)
    throw Error(h5.file.string(), "is not a rollout file", std::string("this program reads '") + rollout_format + "'",
                Exit::data);
  std::vector<std::string> names;
  const auto count = hdf::Array::open(h5, "columns/ends").size();
  for (const auto& name : hdf::RaggedText::open(h5, "columns", "bytes").read(0, count))
    names.emplace_back(name.begin(), name.end());
  return names;
}

uint64_t RolloutLayout::completions_until(uint64_t last_step) const {
  const auto steps = step.read<uint64_t>(0, std::min<uint64_t>(completions(), step.size()));
  uint64_t count = 0, before = 1;
  while (count < steps.size() && steps[count] >= before && steps[count] <= last_step) before = steps[count++];
  return count;
}

void RolloutLayout::flush() {
  for (auto* array : {&step, &prompt, &completion, &group, &finished, &logprobs}) array->flush();
  for (auto& array : values) array.flush();
  if (checksum) checksum->flush();
  for (auto* texts : {&text, &example_id, &prompt_text}) texts->flush();
  tokens.flush();
  prompt_tokens.flush();
}

void RolloutLayout::commit(uint64_t completions) {
  committed.write<uint64_t>(0, {&completions, 1});
  committed.flush();
}

void RolloutLayout::copy(const RolloutLayout& from, uint64_t completions) {
  uint64_t groups = 0;
  for (const uint64_t group_index : from.group.read<uint64_t>(0, completions))
    groups = std::max(groups, group_index + 1);
  step.copy<uint64_t>(from.step, completions);
  prompt.copy<uint64_t>(from.prompt, completions);
  completion.copy<uint64_t>(from.completion, completions);
  group.copy<uint64_t>(from.group, completions);
  finished.copy<uint8_t>(from.finished, completions);
  for (size_t i = 0; i < values.size(); ++i) values[i].copy<double>(from.values[i], completions);
  if (from.checksum && from.checksum->size() > 0) checksum->copy<uint64_t>(*from.checksum, completions);
  text.copy(from.text, completions);
  tokens.copy(from.tokens, completions);
  logprobs.copy<float>(from.logprobs, tokens.end());
  example_id.copy(from.example_id, groups);
  prompt_text.copy(from.prompt_text, groups);
  prompt_tokens.copy(from.prompt_tokens, groups);
  commit(completions);
}

std::filesystem::path RolloutName::sealed() const { return with_suffix(*this, ".h5"); }
std::filesystem::path RolloutName::part() const { return with_suffix(*this, ".h5.part"); }
std::filesystem::path RolloutName::temporary() const { return with_suffix(*this, ".h5.new"); }

std::filesystem::path RolloutName::readable() const { return std::filesystem::exists(sealed()) ? sealed() : part(); }

std::vector<RolloutName> RolloutName::list(const std::filesystem::path& folder) {
  std::map<std::pair<uint64_t, int>, RolloutName> found;
  for (const auto& entry : entries_of(folder)) {
    const auto name = parse(entry.path());
    if (name && entry.path() != name->temporary()) found.emplace(std::pair(name->first_step, name->rank), *name);
  }
  std::vector<RolloutName> names;
  for (auto& [key, name] : found) names.push_back(name);
  return names;
}

void RolloutName::remove_temporary(const std::filesystem::path& folder, int rank, int ranks) {
  std::vector<std::filesystem::path> unborn;
  for (const auto& entry : entries_of(folder)) {
    const auto name = parse(entry.path());
    if (name && name->rank % ranks == rank && entry.path() == name->temporary()) unborn.push_back(entry.path());
  }
  for (const auto& file : unborn) std::filesystem::remove(file);
}

}  // namespace compeer::record
