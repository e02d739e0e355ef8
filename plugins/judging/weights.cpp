#include "judging/weights.h"

#include <filesystem>
#include <map>

#include "base/hash.h"
#include "base/reading.h"

namespace compeer::judging {

std::string weights_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& file : entries_of(folder)) {
    if (file.path().extension() == ".safetensors") files.emplace(file.path().filename(), sha256_file(file.path()));
  }
  if (files.empty()) throw Error(folder, "holds no weights (*.safetensors)", "name a model's folder", Exit::data);
  std::string all;
  for (const auto& [name, hash] : files) all += name + " " + hash + "\n";
  return sha256(all);
}

}  // namespace compeer::judging
