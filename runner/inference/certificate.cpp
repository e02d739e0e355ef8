// Reads and writes certificates of GPUs in the user's cache folder.
#include "inference/certificate.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"

namespace compeer::inference {

namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

fs::path file_of(const Gpu& gpu, const CudaSoftware& software) {
  auto name = fmt::format("{} {} libtorch {}", gpu.name, software.driver, software.libtorch);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '.'; }, '-');
  const auto cache = cache_folder();
  return cache.empty() ? cache : cache / "certificates" / (name + ".json");
}

}  // namespace

std::optional<Certificate> find_certificate(const Gpu& gpu, const CudaSoftware& software) {
  const auto file = file_of(gpu, software);
  std::error_code none;
  if (file.empty() || !fs::exists(file, none)) return std::nullopt;
  try {
    const auto read = ordered_json::parse(read_plain_file(file, 1 << 20));
    const bool of_these = read.at("device") == gpu.name && read.at("driver") == software.driver &&
                          read.at("libtorch") == software.libtorch && read.at("compeer") == COMPEER_VERSION;
    if (!of_these) return std::nullopt;
    return Certificate{read.at("date"), static_cast<int64_t>(read.at("checks").size()),
                       read.at("rollout_trainer_max_diff")};
  } catch (const ordered_json::exception&) {
    return std::nullopt;  // damaged: the device can be tested again
  } catch (const Error&) {
    return std::nullopt;  // can't be read
  }
}

std::string write_certificate(const Gpu& gpu, const CudaSoftware& software, double difference,
                              const ordered_json& checks, const ordered_json& speed) {
  const auto file = file_of(gpu, software);
  if (file.empty())
    throw Error("", "can't store the certificate: neither XDG_CACHE_HOME nor HOME is set", "set one of them",
                Exit::failure);
  const ordered_json certificate{{"device", gpu.name},
                                 {"capability", gpu.capability},
                                 {"memory", gpu.memory},
                                 {"driver", software.driver},
                                 {"cuda", software.cuda},
                                 {"libtorch", software.libtorch},
                                 {"compeer", COMPEER_VERSION},
                                 {"date", fmt::format("{:%F}", fmt::gmtime(std::time(nullptr)))},
                                 {"rollout_trainer_max_diff", difference},
                                 {"speed", speed},
                                 {"checks", checks}};
  std::error_code none;
  fs::create_directories(file.parent_path(), none);  // if it fails, write_file reports it
  write_file(file, certificate.dump(2) + "\n");
  return file.string();
}

std::string certificate_text(const Gpu& gpu, const CudaSoftware& software) {
  const auto found = find_certificate(gpu, software);
  if (!found)
    return fmt::format("{} with driver {} is not certified on this machine; test it with compeer doctor --device cuda",
                       gpu.name, software.driver);
  return fmt::format(
      "{} with driver {} was certified on {}: {} checks, rollout and trainer log-probabilities differ by up to {:.2g} "
      "nats",
      gpu.name, software.driver, found->date, found->checks, found->difference);
}

}  // namespace compeer::inference
