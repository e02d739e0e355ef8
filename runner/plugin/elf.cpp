#include "plugin/elf.h"

#include <elf.h>

#include <cstring>

#include "base/error.h"

namespace compeer::plugin {

namespace {

#if defined(__x86_64__)
constexpr int this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int this_machine = EM_AARCH64;
#else
#error "tell elf.cpp this processor's EM_ number"
#endif

// Reads fixed-size records at offsets the file itself gives, none of which is believed.
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

// The loader maps these parts; touching one that lies beyond the end of the file kills the process.
void check_segments(const ElfReader& reader, const Elf64_Ehdr& header) {
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr)) reader.fail("has no program table");
  reader.range(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), "the program table");
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = reader.record<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "the program table");
    if (segment.p_type == PT_LOAD) reader.range(segment.p_offset, segment.p_filesz, "a loadable part");
  }
}

}  // namespace

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

}  // namespace compeer::plugin
