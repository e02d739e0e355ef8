// Reads plugin descriptors from ELF files without loading them.
#include "plugin/descriptor.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "compeer/plugin.h"

namespace compeer::plugin {

namespace {

#if defined(__x86_64__)
constexpr int this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int this_machine = EM_AARCH64;
#else
#error "add this processor's EM_ number"
#endif

// Reads fixed-size records at offsets given by the file, after checking that they lie within it.
class ElfReader {
 public:
  ElfReader(std::string_view bytes, const std::filesystem::path& file) : bytes_(bytes), file_(file) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(file_.string(), what, "build or copy the library again", Exit::plugin);
  }

  std::string_view range(uint64_t offset, uint64_t size, const char* what) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      fail("is cut off or damaged: " + std::string(what) + " should be " + std::to_string(size) + " bytes at offset " +
           std::to_string(offset) + ", but the file has only " + std::to_string(bytes_.size()) + " bytes");
    }
    return bytes_.substr(offset, size);
  }

  template <class Record>
  Record record(uint64_t offset, const char* what) const {
    Record value;
    std::memcpy(&value, range(offset, sizeof value, what).data(), sizeof value);
    return value;
  }

 private:
  std::string_view bytes_;
  const std::filesystem::path& file_;
};

Elf64_Ehdr header_of(const ElfReader& reader, std::string_view bytes) {
  if (bytes.empty()) reader.fail("is empty");
  if (!bytes.starts_with(ELFMAG)) reader.fail("is not a shared library (no ELF header)");
  const auto header = reader.record<Elf64_Ehdr>(0, "the ELF header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN) {
    reader.fail("is not a 64-bit little-endian shared library");
  }
  if (header.e_machine != this_machine) {
    reader.fail("is built for another processor (ELF machine " + std::to_string(header.e_machine) + ", this one is " +
                std::to_string(this_machine) + ")");
  }
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) reader.fail("has no section table");
  return header;
}

// Checks the parts that the loader maps: accessing one beyond the end of the file would kill the process.
void check_segments(const ElfReader& reader, const Elf64_Ehdr& header) {
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr)) reader.fail("has no program table");
  reader.range(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), "the program table");
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = reader.record<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "the program table");
    if (segment.p_type == PT_LOAD) reader.range(segment.p_offset, segment.p_filesz, "a loadable part");
  }
}

// Returns the bytes of one section of an ELF64 little-endian file, without loading it. Checks every offset and size
// before use. Throws Error (exit 5) naming `file` if it is not such an ELF file, is truncated or inconsistent, or lacks
// the section.
std::string_view elf_section(std::string_view bytes, std::string_view section, const std::filesystem::path& file) {
  const ElfReader reader(bytes, file);
  const Elf64_Ehdr header = header_of(reader, bytes);
  reader.range(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), "the section table");
  check_segments(reader, header);
  const auto at = [&](uint64_t index) {
    return reader.record<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr), "the section table");
  };
  if (header.e_shstrndx >= header.e_shnum) reader.fail("is damaged: it has no names of sections");
  const Elf64_Shdr names_header = at(header.e_shstrndx);
  const auto names = reader.range(names_header.sh_offset, names_header.sh_size, "the names of sections");
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr entry = at(i);
    if (entry.sh_name >= names.size()) reader.fail("is damaged: a section's name lies outside the names of sections");
    auto name = names.substr(entry.sh_name);
    name = name.substr(0, name.find('\0'));
    if (name != section) continue;
    if (entry.sh_type == SHT_NOBITS) reader.fail("is damaged: section " + std::string(section) + " has no bytes");
    return reader.range(entry.sh_offset, entry.sh_size, "the plugin's descriptor");
  }
  throw Error(file.string(), "is a shared library but not a plugin: it has no section " + std::string(section),
              "end its source with COMPEER_PLUGIN (compeer/plugin.h), and strip nothing but symbols", Exit::plugin);
}

using Json = nlohmann::ordered_json;  // keeps the order of the parameters
constexpr size_t largest_descriptor = 1 << 16;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what, const std::string& help = "") {
  throw Error(file.string(), what, help, Exit::plugin);
}

// Removes nlohmann::json's prefix "[json.exception.parse_error.101] ".
std::string cause(const std::exception& error) {
  const std::string text = error.what();
  const auto end = text.find("] ");
  return text.starts_with("[json.") && end != std::string::npos ? text.substr(end + 2) : text;
}

Json parse(std::string_view text, const std::filesystem::path& file) {
  if (text.size() > largest_descriptor) fail(file, "its descriptor is longer than 64 KiB");
  text = text.substr(0, text.find_last_not_of('\0') + 1);  // the section ends with the string's terminating zero
  try {
    return parse_json_object<Json>(text, "");
  } catch (const Error& error) {
    fail(file, "its descriptor " + error.problem(), "check the last argument of COMPEER_PLUGIN");
  }
}

template <class T>
T value(const Json& json, const char* key, const std::filesystem::path& file) {
  if (!json.contains(key)) {
    fail(file, "its descriptor has no \"" + std::string(key) + "\"", "add it to the last argument of COMPEER_PLUGIN");
  }
  try {
    if constexpr (std::is_integral_v<T>) return get_integer<T>(json.at(key));
    return json.at(key).get<T>();
  } catch (const std::exception& error) {
    fail(file, "\"" + std::string(key) + "\" in its descriptor: " + cause(error));
  }
}

spec::Schema parameters_of(const Json& json, const std::filesystem::path& file) {
  if (!json.contains("parameters") || !json.at("parameters").is_object()) {
    fail(file, "its descriptor has no table \"parameters\"", R"(write "parameters": {} if it has none)");
  }
  return spec::parse_schema(json.at("parameters"), file.string());
}

void match_file(const Descriptor& descriptor, const std::filesystem::path& file) {
  const auto kind = file.parent_path().filename().string(), name = file.stem().string();
  if (descriptor.kind == kind && descriptor.name == name) return;
  fail(file,
       "is the plugin " + descriptor.kind + "/" + descriptor.name + ", but its path is that of " + kind + "/" + name,
       "move it to " + descriptor.kind + "/" + descriptor.name + ".so, or change the name in COMPEER_PLUGIN");
}

}  // namespace

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all{"datasets",   "models", "rewards", "reweighting",
                                            "similarity", "chat",   "stages"};
  return all;
}

Descriptor read_descriptor(std::string_view bytes, const std::filesystem::path& file) {
  const Json json = parse(elf_section(bytes, ".compeer", file), file);
  if (const int64_t format = value<int64_t>(json, "compeer", file); format != 1) {
    fail(file, "its descriptor has format " + std::to_string(format) + ", this program reads format 1");
  }
  Descriptor descriptor;
  descriptor.interface = value<int64_t>(json, "interface", file);
  descriptor.host = value<int64_t>(json, "host", file);
  descriptor.kind = value<std::string>(json, "kind", file);
  descriptor.name = value<std::string>(json, "name", file);
  descriptor.version = value<std::string>(json, "version", file);
  descriptor.torch = value<std::string>(json, "torch", file);
  descriptor.cxx_abi = value<int64_t>(json, "cxx_abi", file);
  descriptor.compiler = value<std::string>(json, "compiler", file);
  descriptor.summary = value<std::string>(json, "summary", file);
  if (json.contains("columns")) descriptor.columns = value<std::vector<std::string>>(json, "columns", file);
  descriptor.parameters = parameters_of(json, file);
  match_file(descriptor, file);
  return descriptor;
}

Descriptor read_descriptor(const std::filesystem::path& file) {
  std::string bytes;
  try {
    bytes = read_plain_file(file, largest_library);
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    fail(file, error.problem(), error.help());
  }
  return read_descriptor(bytes, file);
}

spec::json defaults(const spec::Schema& parameters) {
  auto values = spec::json::object();
  for (const auto& parameter : parameters) {
    if (!parameter.default_value) continue;
    auto& value = values[parameter.name] = *parameter.default_value;
    if (parameter.type == spec::Type::plugin && value.is_string()) value = {{"plugin", value}};
    if (parameter.type != spec::Type::table || !value.is_object()) continue;
    auto whole = defaults(parameter.fields);
    whole.update(value);
    value = std::move(whole);
  }
  return values;
}

int64_t interface_number(const std::string& kind) {
  static const std::map<std::string, int64_t> numbers{
      {"datasets", COMPEER_INTERFACE_datasets},     {"models", COMPEER_INTERFACE_models},
      {"rewards", COMPEER_INTERFACE_rewards},       {"reweighting", COMPEER_INTERFACE_reweighting},
      {"similarity", COMPEER_INTERFACE_similarity}, {"chat", COMPEER_INTERFACE_chat},
      {"stages", COMPEER_INTERFACE_stages},
  };
  return numbers.at(kind);
}

int64_t host_interface_number() { return COMPEER_INTERFACE_host; }
std::string torch_version() { return COMPEER_TORCH_VERSION; }
int64_t cxx_abi() { return _GLIBCXX_USE_CXX11_ABI; }

std::string incompatibility(const Descriptor& plugin) {
  if (const auto ours = interface_number(plugin.kind); plugin.interface != ours)
    return fmt::format("was built for plugin interface {}, this program has interface {}", plugin.interface, ours);
  if (const auto ours = host_interface_number(); plugin.host > ours)
    return fmt::format("requires host interface {}, this program has host interface {}", plugin.host, ours);
  if (!plugin.torch.empty() && plugin.torch != torch_version())
    return fmt::format("was built for libtorch {}, this program uses libtorch {}", plugin.torch, torch_version());
  if (plugin.cxx_abi != cxx_abi())
    return fmt::format("was built with _GLIBCXX_USE_CXX11_ABI={}, this program with {}", plugin.cxx_abi, cxx_abi());
  return "";
}

std::string incompatibility_help(const Descriptor& plugin) {
  const std::string rebuild = "rebuild it with this installation's compeer::sdk and libtorch";
  const auto interface = interface_number(plugin.kind);
  if (plugin.interface < interface) return rebuild + "; docs/plugins.md lists under Porting what has changed";
  const bool newer_host = plugin.interface == interface && plugin.host > host_interface_number();
  return newer_host ? "run it with the newer Compeer that it was built with, or " + rebuild : rebuild;
}

}  // namespace compeer::plugin
