// Writes the model folder. Weights are streamed: they are dequantized and written in chunks.
#include "gguf/import.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "gguf/model_layout.h"
#include "gguf/vocabulary_files.h"
#include "gguf/wheel.h"
#include "record/safetensors.h"

namespace compeer::gguf {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using WriteBytes = std::function<void(std::span<const std::byte>)>;

constexpr size_t chunk_length = 1 << 18;  // elements dequantized before they are written

// A new folder that is written under a temporary name, path(), and renamed by commit(). The destructor removes
// everything that was created if commit() was not called.
class FolderInPieces {
 public:
  explicit FolderInPieces(const fs::path& folder) : folder_(fs::absolute(folder).lexically_normal()) {
    if (!folder_.has_filename()) folder_ = folder_.parent_path();
    std::error_code code;
    if (fs::exists(folder_, code) && !(fs::is_directory(folder_, code) && fs::is_empty(folder_, code)))
      throw Error(folder.string(), "already exists", "name a new or an empty folder", Exit::usage);
    part_ = folder_;
    part_ += fmt::format(".{}.part", ::getpid());
    for (fs::path above = folder_.parent_path(); !code && !fs::exists(above, code); above = above.parent_path())
      made_.push_back(above);
    if (!code) fs::remove_all(part_, code);
    if (!code) fs::create_directories(part_, code);
    check(code);
  }
  ~FolderInPieces() {
    std::error_code ignored;
    fs::remove_all(part_, ignored);                                  // does nothing after commit()
    for (const fs::path& above : made_) fs::remove(above, ignored);  // fails, as intended, if not empty
  }
  FolderInPieces(const FolderInPieces&) = delete;
  FolderInPieces& operator=(const FolderInPieces&) = delete;

  const fs::path& path() const { return part_; }

  // Flushes the folder to disk and renames it to its final name. Throws Error (exit 1).
  void commit() const {
    sync_folder(part_);
    std::error_code code;
    fs::rename(part_, folder_, code);
    check(code);
    sync_folder(folder_.parent_path());
  }

 private:
  void check(const std::error_code& code) const {
    if (code)
      throw Error(folder_.string(), "can't be written: " + code.message(), write_error_help(code.value()),
                  Exit::failure);
  }

  fs::path folder_, part_;
  std::vector<fs::path> made_;  // parent folders that did not exist before, deepest first
};

// Reads the rows of a tensor as float32, in the order of the Hugging Face model.
class RowReader {
 public:
  explicit RowReader(const TensorPlace& place)
      : tensor_(*place.stored),
        rows_(tensor_.elements() / row_elements(place)),
        row_elements_(static_cast<size_t>(row_elements(place))),
        row_bytes_(tensor_.bytes.size() / static_cast<size_t>(rows_)),
        rows_of_head_(place.permuted_heads > 0 ? rows_ / place.permuted_heads : 0) {}

  int64_t rows() const { return rows_; }
  size_t row_elements() const { return row_elements_; }

  void read(int64_t row, std::span<float> values) const {
    const int64_t from = rows_of_head_ > 0 ? source_row(row, rows_of_head_) : row;
    unpack(*tensor_.format, tensor_.bytes.subspan(static_cast<size_t>(from) * row_bytes_, row_bytes_), values);
  }

 private:
  // The elements of a permuted bias are treated as rows of one element.
  static int64_t row_elements(const TensorPlace& place) {
    const auto& shape = place.stored->shape;
    return shape.size() == 1 && place.permuted_heads > 0 ? 1 : shape.back();
  }

  const GgufTensor& tensor_;
  int64_t rows_;
  size_t row_elements_, row_bytes_;
  int64_t rows_of_head_;
};

void check_finite(const GgufFile& file, const GgufTensor& tensor, std::span<const float> values) {
  const auto broken = std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  if (broken != values.end())
    throw Error(file.where(), fmt::format("tensor '{}' contains infinite or NaN values", tensor.name),
                "download the file again: it may be damaged", Exit::data);
}

void write_values(std::span<const float> values, bool bfloat16, const WriteBytes& write) {
  if (!bfloat16) return write(std::as_bytes(values));
  std::vector<uint16_t> rounded(values.size());
  std::transform(values.begin(), values.end(), rounded.begin(), float_to_bfloat16);
  write(std::as_bytes(std::span(rounded)));
}

void write_rows(const GgufFile& file, const TensorPlace& place, const ImportOptions& options, const WriteBytes& write) {
  const RowReader rows(place);
  const auto at_once = std::max<int64_t>(static_cast<int64_t>(chunk_length / rows.row_elements()), 1);
  std::vector<float> values;
  for (int64_t first = 0; first < rows.rows(); first += at_once) {
    const auto count = static_cast<size_t>(std::min(at_once, rows.rows() - first));
    options.check();
    values.resize(count * rows.row_elements());
    for (size_t i = 0; i < count; ++i)
      rows.read(first + static_cast<int64_t>(i),
                std::span(values).subspan(i * rows.row_elements(), rows.row_elements()));
    check_finite(file, *place.stored, values);
    write_values(values, options.bfloat16, write);
  }
  file.release();
}

int64_t write_weights(const GgufFile& file, const ModelLayout& layout, const ImportOptions& options,
                      const fs::path& folder) {
  std::vector<record::TensorInPieces> tensors;
  int64_t parameters = 0;
  for (const TensorPlace& place : layout.tensors) {
    tensors.push_back({place.name, options.bfloat16 ? "BF16" : "F32", place.stored->shape,
                       [&](const WriteBytes& write) { write_rows(file, place, options, write); }});
    parameters += place.stored->elements();
  }
  record::write_sharded_in_pieces(folder, tensors, options.shard_limit);
  return parameters;
}

void write_json(const fs::path& file, const Json& value) { write_file(file, value.dump(2) + "\n"); }

void write_configs(const GgufFile& file, Json config, bool bfloat16, const fs::path& folder) {
  const Json ids = special_ids(file, config.at("vocab_size").get<int64_t>());
  config.update(ids);
  config["torch_dtype"] = bfloat16 ? "bfloat16" : "float32";
  write_json(folder / "config.json", config);
  if (!ids.empty()) write_json(folder / "generation_config.json", ids);
}

}  // namespace

Imported import_model(const ImportOptions& options) {
  const FolderInPieces folder(options.folder);
  const auto file = open_gguf(options.source, folder.path(), options.check);
  const bool has_tokens = has_vocabulary(file);
  if (file.tensors().empty() && !has_tokens)
    throw Error(file.where(), "contains neither weights nor a tokenizer", "", Exit::data);
  std::optional<ModelLayout> layout;
  if (!file.tensors().empty()) layout = model_layout(file);
  Imported imported;
  if (has_tokens) {
    const auto files = vocabulary_files(file);
    imported.tokens = files.tokens;
    if (layout && files.tokens > layout->config.at("vocab_size").get<int64_t>())
      throw Error(file.where(),
                  fmt::format("has {} tokens, but embeddings of {}", files.tokens, layout->config["vocab_size"].dump()),
                  "", Exit::data);
    write_file(folder.path() / "tokenizer.json", files.tokenizer);
    write_file(folder.path() / "tokenizer_config.json", files.config);
  }
  if (layout) {
    imported.model_type = layout->config.at("model_type").get<std::string>();
    write_configs(file, layout->config, options.bfloat16, folder.path());
    imported.parameters = write_weights(file, *layout, options, folder.path());
  }
  folder.commit();
  return imported;
}

}  // namespace compeer::gguf
