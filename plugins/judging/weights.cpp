#include "judging/weights.h"

#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/hash.h"

namespace compeer::judging {

std::string weights_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  std::error_code missing;
  for (const auto& file : std::filesystem::directory_iterator(folder, missing)) {
    if (file.path().extension() == ".safetensors") files.emplace(file.path().filename(), sha256_file(file.path()));
  }
  if (files.empty()) throw Error(folder, "holds no weights (*.safetensors)", "name a model's folder", Exit::data);
  std::string all;
  for (const auto& [name, hash] : files) all += name + " " + hash + "\n";
  return sha256(all);
}

}  // namespace compeer::judging
