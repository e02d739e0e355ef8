#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace compeer::conformance {

/// A file of a new plugin project: its name within the folder, and its text.
struct ProjectFile {
  std::string name, text;
};

/// A file of templates/, which the build embeds into the program.
struct TemplateFile {
  std::string kind;  ///< its folder: a kind, or a variant of one; empty for files of every project
  std::string name, text;
};
/// Returns all template files.
const std::vector<TemplateFile>& templates();

/// Returns the kind for its plural or singular name ("rewards", "reward"). Throws Error (exit 2) with the nearest kind.
std::string project_kind(const std::string& name);

/// Throws Error (exit 2), suggesting a valid name, unless `name` is valid as the name of a file, a class and a plugin:
/// lower-case letters, digits and '_', at most 64, starting with a letter.
void check_project_name(const std::string& name);

/// Returns the files of a project for a new plugin: the common ones of templates/ and those of the folder of the kind,
/// or of `variant`, with `name` in place of `my_plugin`. A file of the folder replaces the common one of the same name.
/// The only variant is "judge", of rewards.
std::vector<ProjectFile> project_files(const std::string& kind, const std::string& name,
                                       const std::string& variant = "");

/// Writes all files, or none, into a folder that must not exist. Throws Error (exit 2) if it exists, (exit 1) if
/// a file can't be written; std::filesystem::filesystem_error if the folder can't be created.
void write_project(const std::vector<ProjectFile>& files, const std::filesystem::path& folder);

}  // namespace compeer::conformance
