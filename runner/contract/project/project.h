#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace compeer::contract {

struct ProjectFile {
  std::string name, text;
};

/// The kind that is meant by "rewards" or "reward". Throws Error (exit 2) with the nearest.
std::string project_kind(const std::string& name);

/// Throws Error (exit 2) with what might do instead unless this can be the name of a file, of a class and in a spec:
/// small letters, digits and '_', at most 64, a letter first.
void check_project_name(const std::string& name);

/// The files of a project around a new plugin: those of templates/ and of the folder for its kind or `variant` there,
/// with its name wherever `my_plugin` stands. A file of that folder takes the place of the common one of its name.
/// Variants: "judge", of rewards.
std::vector<ProjectFile> project_files(const std::string& kind, const std::string& name,
                                       const std::string& variant = "");

/// Writes them into a folder that must not be there yet, all or none. Throws Error: exit 2 if it is there, 4 if it
/// can't be written.
void write_project(const std::vector<ProjectFile>& files, const std::filesystem::path& folder);

}  // namespace compeer::contract
