#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compeer/dataset.h"
#include "corpora/fields.h"
#include "corpora/json_records.h"

namespace compeer::corpora {

/// Calls f(record, raw) for each JSON record of a file (json_records.h). A record that can't be parsed, or for which
/// `f` throws Refusal, is added to `left_out`.
void read_records(const std::filesystem::path& file, std::vector<Unreadable>& left_out,
                  const std::function<void(json record, const Raw& raw)>& f);

/// Throws Error (exit 4) that names the first few records if more than the share `allowed` were left out, or all;
/// if all were, with `if_all` as help. A file that is cut off is refused unless `allowed` is 1.
/// `read`: the number of records that were read.
void refuse_too_many(const std::vector<Unreadable>& left_out, size_t read, const std::string& path, double allowed,
                     const std::string& if_all);

}  // namespace compeer::corpora
