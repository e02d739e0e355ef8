#pragma once
#include <filesystem>

namespace compeer {

/// Whether `path` lies in `folder`, or is it, when links are followed. What is not there yet is taken as it is written.
bool lies_inside(const std::filesystem::path& folder, const std::filesystem::path& path);

/// The same by names alone: no `..` leads out. Links that the folder's owner put there may lead where they like.
bool stays_below(const std::filesystem::path& folder, const std::filesystem::path& path);

/// The first thing in a folder, at any depth, that is neither a file nor a folder: links, pipes, devices. Links whose
/// target is a plain name beside them (`last` -> `step-000120`) can't lead out and are not meant. Empty: there is none.
std::filesystem::path leads_out(const std::filesystem::path& folder);

/// Throws Error (exit 4) if there is such a thing: before a run writes into a folder that somebody else may have made.
void refuse_links(const std::filesystem::path& folder);

}  // namespace compeer
