#pragma once
#include <filesystem>
#include <string>
#include <vector>

// `compeer plugins new KIND NAME` writes a folder with sources, a test and a build script: the starting point for
// the author of a plugin. KIND is the plugin's interface, such as "rewards" or "models".

namespace compeer::conformance {

/// A file of a new plugin project: its path within the project's folder, and its text.
struct ProjectFile {
  std::string name, text;
};

/// A source of project files, with placeholders. The build embeds all files of the folder templates/ into the program.
struct TemplateFile {
  std::string kind;        ///< its folder: a kind, or a variant of a kind; empty for files of every project
  std::string name, text;  ///< path within the project, and contents; both may contain the placeholder `my_plugin`
};
/// Returns all template files.
const std::vector<TemplateFile>& templates();

/// Returns the kind for its plural or singular name: "rewards" for "rewards" and "reward". Throws Error (exit code 2:
/// wrong command line), suggesting the nearest kind, if it does not exist.
std::string project_kind(const std::string& name);

/// Throws Error (exit code 2), suggesting a valid name, unless `name` is valid as the name of a file, a class and a
/// plugin: lower-case letters, digits and '_', at most 64, starting with a letter.
void check_project_name(const std::string& name);

/// Returns the files of a project for a new plugin: the common ones of templates/ and those of the folder of the kind,
/// or of `variant`, with `name` in place of `my_plugin`. A file of the folder replaces the common one of the same name.
/// `variant`: another starting point for the same kind. The only one is "judge", a reward that asks a language model.
std::vector<ProjectFile> project_files(const std::string& kind, const std::string& name,
                                       const std::string& variant = "");

/// Writes all files, or none, into a folder that must not exist. Throws Error (exit code 2) if it exists,
/// (exit code 1) if a file can't be written, std::filesystem::filesystem_error if the folder can't be created.
void write_project(const std::vector<ProjectFile>& files, const std::filesystem::path& folder);

}  // namespace compeer::conformance
