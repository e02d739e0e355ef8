#pragma once
#include <elf.h>

#include <cstring>
#include <string>

#include "plugin/descriptor.h"

/// Returns the smallest shared library with the given section: ELF header, one loadable segment, the section's bytes,
/// section names, and a table of three sections. It can be read, but not loaded.
inline std::string tiny_elf(const std::string& contents, const std::string& section = ".compeer") {
  const std::string names = std::string(1, '\0') + section + '\0' + ".shstrtab" + '\0';
  const uint64_t at_contents = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), at_names = at_contents + contents.size();
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
#if defined(__aarch64__)
  header.e_machine = EM_AARCH64;
#else
  header.e_machine = EM_X86_64;
#endif
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shoff = at_names + names.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Phdr part{};
  part.p_type = PT_LOAD;
  part.p_filesz = at_names;
  Elf64_Shdr sections[3]{};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_offset = at_contents;
  sections[1].sh_size = contents.size();
  sections[2].sh_name = static_cast<Elf64_Word>(1 + section.size() + 1);
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = at_names;
  sections[2].sh_size = names.size();
  const auto bytes = [](const auto& value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  return bytes(header) + bytes(part) + contents + names + bytes(sections);
}

/// Returns a complete descriptor of rewards/probe with these `parameters`; for an unsupported interface version, if
/// `interface` is above 0.
inline std::string probe_descriptor(const std::string& parameters = "{}", int64_t interface = 0) {
  namespace plugin = compeer::plugin;
  if (interface == 0) interface = plugin::interface_number("rewards");
  return R"({"compeer":1,"interface":)" + std::to_string(interface) +
         R"(,"host":1,"kind":"rewards","name":"probe","torch":")" + plugin::torch_version() + R"(","cxx_abi":)" +
         std::to_string(plugin::cxx_abi()) +
         R"(,"compiler":"12","version":"1.0.0","summary":"A probe.","parameters":)" + parameters + "}" +
         std::string(1, '\0');
}
