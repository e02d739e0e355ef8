#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::annotate {

/// A line of a file that could not be used, and why.
struct BadLine {
  size_t line = 0;
  std::string reason;
};

/// Gives `take` each line of a file of JSON objects that is not blank, with its number from 1. A line that is no JSON
/// object, or for which `take` throws Error, is a bad one and the next follows. Throws Error (exit 4) if the file
/// can't be read.
std::vector<BadLine> read_lines(const std::filesystem::path& file,
                                const std::function<void(nlohmann::json&& object, size_t line)>& take);

/// "labels.jsonl:3: has no 'label'" for the first twenty, a line each, and how many more there are.
std::string listed(const std::filesystem::path& file, const std::vector<BadLine>& bad);

/// Throws Error (exit 4), which lists them, if there are any.
void refuse_bad_lines(const std::filesystem::path& file, const std::vector<BadLine>& bad);

/// An object as a line of a file.
std::string json_line(const nlohmann::json& object);

}  // namespace compeer::annotate
