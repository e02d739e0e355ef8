#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace compeer::contract {

struct ProjectFile {
  std::string name, text;
};

/// A file of templates/, which the build embeds in the program.
struct TemplateFile {
  std::string kind;  ///< its folder: a kind or a variant of one; empty for files of every project
  std::string name, text;
};
const std::vector<TemplateFile>& templates();

/// Returns the kind for "rewards" or "reward". Throws Error (exit 2) with the nearest kind.
std::string project_kind(const std::string& name);

/// Throws Error (exit 2) with the nearest valid name unless `name` can be the name of a file, of a class and in a spec:
/// small letters, digits and '_', at most 64, a letter first.
void check_project_name(const std::string& name);

/// Returns the files of a project for a new plugin: those of templates/ and of its folder for the kind or `variant`,
/// with `name` in place of `my_plugin`. A file of that folder replaces the common one of the same name. The only
/// variant is "judge", of rewards.
std::vector<ProjectFile> project_files(const std::string& kind, const std::string& name,
                                       const std::string& variant = "");

/// Writes all files, or none, into a folder that must not exist. Throws Error: exit 2 if it exists, 4 if it can't be
/// written.
void write_project(const std::vector<ProjectFile>& files, const std::filesystem::path& folder);

}  // namespace compeer::contract
