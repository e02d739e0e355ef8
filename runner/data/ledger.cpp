#include "data/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/reading.h"
#include "plugin/answer_file.h"

namespace compeer::data {

namespace fs = std::filesystem;
using nlohmann::json;

Ledger::Ledger(fs::path run, int rank)
    : folder_(std::move(run) / "asked"), file_(folder_ / fmt::format("rank-{}.jsonl", rank)) {}

Ledger::~Ledger() {
  if (fd_ >= 0) ::close(fd_);
}

void Ledger::add(const std::string& model, const ChatReply& reply) {
  std::error_code ignored;
  if (fd_ < 0) fs::create_directories(folder_, ignored);
  if (fd_ < 0) fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  // A new line first: a kill may have cut off the last one.
  const auto line = "\n" + json{{"model", model},
                                {"failed", !reply.failure.empty()},
                                {"prompt_tokens", reply.prompt_tokens},
                                {"completion_tokens", reply.completion_tokens},
                                {"cost", reply.cost}}
                               .dump(-1, ' ', false, json::error_handler_t::replace);
  if (fd_ < 0 || ::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw Error(file_.string(), fmt::format("can't be written: {}", std::strerror(errno)),
                "make room, then go on with the run", Exit::failure);
}

json Ledger::sums() const {
  json all = json::object();
  for (const auto& file : plugin::answer_files(folder_)) {
    std::ifstream lines = open_to_read(file);
    for (std::string text; std::getline(lines, text);) {
      const json line = parse_json(text);
      if (!line.is_object() || !line.contains("model") || !line.contains("cost")) continue;  // the last of a kill
      json& sum = all.emplace(line.at("model").get<std::string>(), json::object()).first.value();
      const auto add = [&](const char* name, auto value) { sum[name] = sum.value(name, decltype(value){}) + value; };
      add("requests", int64_t{1});
      add("failed", int64_t{line.value("failed", false)});
      add("prompt_tokens", line.value("prompt_tokens", int64_t{0}));
      add("completion_tokens", line.value("completion_tokens", int64_t{0}));
      add("cost", line.value("cost", 0.0));
    }
    check_read(lines, file);
  }
  return all;
}

}  // namespace compeer::data
