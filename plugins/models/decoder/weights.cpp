// Lists, loads, checks and saves the weights of a decoder.
#include "weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <c10/util/intrusive_ptr.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "base/files.h"
#include "base/hash.h"
#include "record/safetensors.h"

namespace compeer::decoder {

namespace {

const char* name_of(at::ScalarType type) { return type == at::kBFloat16 ? "BF16" : "F32"; }

bool aligned(const record::TensorView& view) {
  return reinterpret_cast<uintptr_t>(view.bytes.data()) % record::element_size(view.dtype) == 0;
}

}  // namespace

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}

void Misfits::add(const std::string& kind, const std::string& tensor) {
  const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& one) { return one.name == kind; });
  found == kinds_.end() ? kinds_.push_back({kind, tensor}) : void(++found->count);
}

void Misfits::missing(const std::string& name, const std::vector<int64_t>& shape) {
  add("missing", "missing " + name + " " + shape_text(shape));
}

void Misfits::unexpected(const std::string& name) { add("unexpected", "unexpected " + name); }

void Misfits::not_finite(const std::string& name) { add("numbers", name + " contains numbers that are not finite"); }

void Misfits::check(const std::string& name, const record::TensorView& view, const std::vector<int64_t>& shape) {
  if (view.shape != shape) add("shape", name + " is " + shape_text(view.shape) + ", should be " + shape_text(shape));
  if (type_of(view.dtype) == at::ScalarType::Undefined)
    add("type", name + " is of type " + view.dtype + "; only F32, BF16 and F16 are supported");
}

std::string Misfits::text() const {
  std::string text;
  for (const auto& [name, first, count] : kinds_) {
    text += "\n  " + first;
    if (count > 1) text += fmt::format(", and {} more", count - 1);
  }
  return text;
}

at::ScalarType type_of(const std::string& dtype) {
  if (dtype == "F32") return at::kFloat;
  if (dtype == "BF16") return at::kBFloat16;
  if (dtype == "F16") return at::kHalf;
  return at::ScalarType::Undefined;
}

std::vector<Entry> entries(const TextConfig& c) {
  const int64_t queries = c.num_attention_heads * c.head_dim, keys = c.num_key_value_heads * c.head_dim;
  std::vector<Entry> all{{"model.embed_tokens.weight", {c.vocab_size, c.hidden_size}}};
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    all.push_back({layer + "input_layernorm.weight", {c.hidden_size}});
    for (const auto& [name, width] : {std::pair{"q", queries}, {"k", keys}, {"v", keys}}) {
      const std::string projection = layer + "self_attn." + name + "_proj.";
      all.push_back({projection + "weight", {width, c.hidden_size}});
      if (c.family.biases) all.push_back({projection + "bias", {width}});
    }
    if (c.family.head_norms) {
      all.push_back({layer + "self_attn.q_norm.weight", {c.head_dim}});
      all.push_back({layer + "self_attn.k_norm.weight", {c.head_dim}});
    }
    all.push_back({layer + "self_attn.o_proj.weight", {c.hidden_size, queries}});
    all.push_back({layer + "post_attention_layernorm.weight", {c.hidden_size}});
    all.push_back({layer + "mlp.gate_proj.weight", {c.intermediate_size, c.hidden_size}});
    all.push_back({layer + "mlp.up_proj.weight", {c.intermediate_size, c.hidden_size}});
    all.push_back({layer + "mlp.down_proj.weight", {c.hidden_size, c.intermediate_size}});
  }
  all.push_back({"model.norm.weight", {c.hidden_size}});
  if (!c.tie_word_embeddings) all.push_back({"lm_head.weight", {c.vocab_size, c.hidden_size}});
  return all;
}

WeightStorage::WeightStorage(const Settings& settings, bool adapted, const std::string& stored_as)
    : frozen(adapted || settings.flag("frozen")),
      precision_chosen(settings.text("precision") != "stored"),
      precision(settings.text("precision")) {
  if (precision == "stored" && !stored_as.empty()) precision = stored_as;
  if (!frozen && (precision == "stored" || is_quantized()))
    throw Error("model.precision", "is '" + precision + "', but trained weights must be float32 or bfloat16",
                is_quantized() ? "train an adapter instead (model.adapter), or choose one of these"
                               : "set frozen = true, or choose one of these");
}

void WeightStorage::check(const std::filesystem::path& folder, const std::string& trained_over) const {
  const auto kept = [](const std::string& name) { return name == "stored" || name == "float32" ? "as stored" : name; };
  if (!precision_chosen && !trained_over.empty() && kept(trained_over) != kept(precision))
    throw Error(folder.string(),
                "the adapter was trained over weights in precision " + kept(trained_over) + ", not " + kept(precision),
                "use --dtype " + trained_over + ", which applies to all adapters", Exit::data);
}

WeightFormat WeightStorage::format() const {
  if (precision == "bfloat16") return WeightFormat::bfloat16;
  if (precision == "q8_0") return WeightFormat::q8_0;
  return precision == "q4_0" ? WeightFormat::q4_0 : WeightFormat::float32;
}

void WeightStorage::round(const std::vector<Parameter>& parameters) const {
  if (!rounded()) return;
  for (const Parameter& p : parameters) p.value.detach().copy_(p.value.detach().to(at::kBFloat16));
}

std::vector<Parameter> WeightStorage::stored(std::vector<Parameter> parameters) const {
  for (Parameter& p : parameters) {
    if (p.host.defined()) p.value = p.host;
    if (rounded()) p.value = p.value.detach().to(at::kBFloat16);
  }
  return parameters;
}

namespace {

using WeakTensor = c10::weak_intrusive_ptr<at::TensorImpl, at::UndefinedTensorImpl>;

/// A folder's files, and the frozen tensors of them that are in use.
struct Mapped {
  explicit Mapped(record::Safetensors files) : file(std::move(files)) {}

  record::Safetensors file;
  std::mutex mutex;
  std::map<std::pair<std::string, at::ScalarType>, WeakTensor> taken;  ///< by name in the file and type
};

}  // namespace

struct Store::Files {
  std::filesystem::path folder;
  WeightStorage storage;
  std::function<std::string(const std::string&)> stored_as;
  std::shared_ptr<Mapped> mapped;
  const record::Safetensors& file = mapped->file;

  std::string name(const Entry& entry) const { return stored_as ? stored_as(entry.name) : entry.name; }
  std::string misfits(const std::vector<Entry>& wanted, bool (*is_ignored)(const std::string&)) const;
};

namespace {

namespace fs = std::filesystem;

// Maps the files copy-on-write if float32 weights are trained on their pages, otherwise read-only.
record::Safetensors opened(const fs::path& folder, bool frozen) {
  auto file = record::Safetensors::open_sharded(folder);
  const auto names = file.names();
  const bool shares = !frozen && std::any_of(names.begin(), names.end(),
                                             [&](const std::string& name) { return file.tensor(name).dtype == "F32"; });
  return shares ? record::Safetensors::open_sharded(folder, record::Access::copy_on_write) : std::move(file);
}

// Identifies a folder and its current files; a writer that replaces a file changes the result.
std::string identity(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : entries_of(folder)) {
    struct stat is {};
    if (entry.path().extension() != ".safetensors" || ::stat(entry.path().c_str(), &is) != 0) continue;
    files.insert(fmt::format("{} {} {} {}.{}", entry.path().filename().string(), is.st_ino, is.st_size,
                             is.st_mtim.tv_sec, is.st_mtim.tv_nsec));
  }
  return fmt::format("{}\n{}", fs::canonical(folder).string(), fmt::join(files, "\n"));
}

std::shared_ptr<Mapped> map(const fs::path& folder, bool frozen) {
  if (!frozen) return std::make_shared<Mapped>(opened(folder, false));
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Mapped>> known;
  auto file = opened(folder, true);  // reports errors before the lock
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& one) { return one.second.expired(); });
  auto& one = known[identity(folder)];
  auto mapped = one.lock();
  if (!mapped) one = mapped = std::make_shared<Mapped>(std::move(file));
  return mapped;
}

}  // namespace

Store::Store(const fs::path& folder, WeightStorage storage, std::function<std::string(const std::string&)> stored_as)
    : files_(std::make_shared<Files>(Files{folder, storage, std::move(stored_as), map(folder, storage.frozen)})) {}

bool Store::has(const std::string& name) const { return files_->file.has(name); }

std::string Store::Files::misfits(const std::vector<Entry>& wanted, bool (*is_ignored)(const std::string&)) const {
  Misfits misfits;
  std::set<std::string> names;
  for (const Entry& entry : wanted) {
    const std::string stored = name(entry);
    names.insert(stored);
    file.has(stored) ? misfits.check(stored, file.tensor(stored), entry.shape) : misfits.missing(stored, entry.shape);
  }
  for (const std::string& other : file.names()) {
    if (names.contains(other) || other.ends_with("rotary_emb.inv_freq")) continue;
    if (!is_ignored || !is_ignored(other)) misfits.unexpected(other);
  }
  return misfits.text();
}

void Store::check(const std::vector<Entry>& wanted, bool (*is_ignored)(const std::string&)) const {
  if (const auto text = files_->misfits(wanted, is_ignored); !text.empty())
    throw Error(files_->folder.string(), "the weights do not fit config.json:" + text, "", Exit::data);
}

namespace {

// Returns a tensor on the pages of the file; a copy if it is not aligned there.
at::Tensor on_pages(const std::shared_ptr<Mapped>& mapped, const record::TensorView& view) {
  const auto options = at::TensorOptions(type_of(view.dtype));
  auto* bytes = const_cast<std::byte*>(view.bytes.data());  // writable if access is copy_on_write
  if (aligned(view))
    return at::from_blob(
        bytes, view.shape, [mapped](void*) {}, options);
  auto copy = at::empty(view.shape, options);
  std::copy(view.bytes.begin(), view.bytes.end(), static_cast<std::byte*>(copy.data_ptr()));
  return copy;
}

at::Tensor in_type(const std::shared_ptr<Mapped>& mapped, const record::TensorView& view, at::ScalarType type) {
  const auto stored = on_pages(mapped, view);
  auto value = stored.to(type);
  // Converted: release the file's pages, so that at most one tensor is in memory twice.
  if (!value.is_same(stored)) mapped->file.release();
  return value;
}

}  // namespace

at::Tensor Store::frozen(const Entry& entry) const {
  const auto& view = files_->file.tensor(files_->name(entry));
  auto type = type_of(view.dtype);
  const bool matrix = entry.shape.size() > 1, read_as_it_is = files_->storage.unpacked ||
                                                              entry.name.ends_with("embed_tokens.weight") ||
                                                              entry.name.ends_with("lm_head.weight");
  if (!matrix || type == at::kHalf) type = at::kFloat;
  if (matrix && read_as_it_is && files_->storage.precision == "bfloat16") type = at::kBFloat16;
  auto& mapped = *files_->mapped;
  const std::lock_guard lock(mapped.mutex);
  auto& taken =
      mapped.taken
          .try_emplace({view.name, type}, WeakTensor(c10::intrusive_ptr<at::TensorImpl, at::UndefinedTensorImpl>()))
          .first->second;
  if (auto known = taken.lock()) return at::Tensor(std::move(known));
  auto value = in_type(files_->mapped, view, type);
  // Vectors are small and read in every pass; a copy keeps the file's pages out of memory.
  if (!matrix && type_of(view.dtype) == type) value = value.clone();
  taken = WeakTensor(value.getIntrusivePtr());
  return value;
}

Parameter Store::take(const Entry& entry) const {
  if (files_->storage.frozen) return {entry.name, frozen(entry)};
  return {entry.name,
          in_type(files_->mapped, files_->file.tensor(files_->name(entry)), at::kFloat).set_requires_grad(true)};
}

std::vector<Parameter> Store::take(const std::vector<Entry>& wanted) const {
  std::vector<Parameter> parameters;
  for (const Entry& entry : wanted) parameters.push_back(take(entry));
  return parameters;
}

std::string Store::fingerprint(const std::vector<Entry>& wanted) const {
  constexpr size_t beginning = 4096;
  std::string text;
  for (const Entry& entry : wanted) {
    const auto bytes = files_->file.tensor(files_->name(entry)).bytes;
    text += entry.name + shape_text(entry.shape);
    text.append(reinterpret_cast<const char*>(bytes.data()), std::min(beginning, bytes.size()));
  }
  return sha256(text);
}

std::function<void()> Store::release() const {
  return [files = files_] { files->file.release(); };
}

std::vector<Parameter> fresh(const TextConfig& config, const std::function<double(uint32_t, uint32_t)>& normal) {
  std::vector<Parameter> parameters;
  for (const Entry& entry : entries(config)) {
    at::Tensor value = at::empty(entry.shape, at::kFloat);
    float* out = static_cast<float*>(value.data_ptr());
    const auto count = static_cast<uint32_t>(value.numel());
    const auto index = static_cast<uint32_t>(parameters.size());
    if (entry.shape.size() == 1) {
      std::fill_n(out, count, entry.name.ends_with("bias") ? 0.0f : 1.0f);
    } else {
      for (uint32_t j = 0; j < count; ++j) out[j] = static_cast<float>(0.02 * normal(index, j));
    }
    parameters.push_back({entry.name, value.set_requires_grad(true)});
  }
  return parameters;
}

std::vector<Parameter> load(const TextConfig& config, const std::filesystem::path& folder) {
  const Store store(folder, WeightStorage());
  const auto wanted = entries(config);
  store.check(wanted);
  return store.take(wanted);
}

void save(const std::vector<Parameter>& parameters, const std::filesystem::path& folder, uint64_t limit) {
  std::vector<record::TensorView> views;
  for (const Parameter& p : parameters) {
    const auto* bytes = static_cast<const std::byte*>(p.value.const_data_ptr());
    views.push_back({p.name, name_of(p.value.scalar_type()), p.value.sizes().vec(), {bytes, p.value.nbytes()}});
  }
  record::write_sharded(folder, views, limit);
}

}  // namespace compeer::decoder
