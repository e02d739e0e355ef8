#include "plugin/descriptor.h"

#include "base/error.h"
#include "base/json.h"
#include "base/plain_file.h"
#include "plugin/elf.h"

namespace compeer::plugin {

namespace {

using Json = nlohmann::ordered_json;  // parameters are shown in the order of their declaration
constexpr size_t largest_descriptor = 1 << 16;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what, const std::string& help = "") {
  throw Error(file.string(), what, help, Exit::plugin);
}

// The library's own text without its prefix "[json.exception.parse_error.101] ".
std::string cause(const std::exception& error) {
  const std::string text = error.what();
  const auto end = text.find("] ");
  return text.starts_with("[json.") && end != std::string::npos ? text.substr(end + 2) : text;
}

Json parse(std::string_view text, const std::filesystem::path& file) {
  if (text.size() > largest_descriptor) fail(file, "its descriptor is longer than 64 KiB");
  text = text.substr(0, text.find_last_not_of('\0') + 1);  // the section ends with the string's zero
  try {
    return parse_json_object<Json>(text, "");
  } catch (const Error& error) {
    fail(file, "its descriptor " + error.problem(), "check the last argument of COMPEER_PLUGIN");
  }
}

template <class T>
T value(const Json& json, const char* key, const std::filesystem::path& file) {
  if (!json.contains(key)) {
    fail(file, "its descriptor has no \"" + std::string(key) + "\"", "add it to the last argument of COMPEER_PLUGIN");
  }
  try {
    if constexpr (std::is_integral_v<T>) return whole<T>(json.at(key));
    return json.at(key).get<T>();
  } catch (const std::exception& error) {
    fail(file, "\"" + std::string(key) + "\" in its descriptor: " + cause(error));
  }
}

spec::Schema parameters_of(const Json& json, const std::filesystem::path& file) {
  if (!json.contains("parameters") || !json.at("parameters").is_object()) {
    fail(file, "its descriptor has no table \"parameters\"", R"(write "parameters": {} if it has none)");
  }
  return spec::parse_schema(json.at("parameters"), file.string());
}

void match_file(const Descriptor& descriptor, const std::filesystem::path& file) {
  const auto kind = file.parent_path().filename().string(), name = file.stem().string();
  if (descriptor.kind == kind && descriptor.name == name) return;
  fail(file,
       "is the plugin " + descriptor.kind + "/" + descriptor.name + ", but lies where " + kind + "/" + name +
           " should be",
       "move it to " + descriptor.kind + "/" + descriptor.name + ".so, or change the name in COMPEER_PLUGIN");
}

}  // namespace

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all{"datasets",   "models", "rewards", "reweighting",
                                            "similarity", "chat",   "stages"};
  return all;
}

Descriptor read_descriptor(std::string_view bytes, const std::filesystem::path& file) {
  const Json json = parse(elf_section(bytes, ".compeer", file), file);
  if (const int64_t format = value<int64_t>(json, "compeer", file); format != 1) {
    fail(file, "its descriptor has format " + std::to_string(format) + ", this program reads format 1");
  }
  Descriptor descriptor;
  descriptor.interface = value<int64_t>(json, "interface", file);
  descriptor.host = value<int64_t>(json, "host", file);
  descriptor.kind = value<std::string>(json, "kind", file);
  descriptor.name = value<std::string>(json, "name", file);
  descriptor.version = value<std::string>(json, "version", file);
  descriptor.torch = value<std::string>(json, "torch", file);
  descriptor.cxx_abi = value<int64_t>(json, "cxx_abi", file);
  descriptor.compiler = value<std::string>(json, "compiler", file);
  descriptor.summary = value<std::string>(json, "summary", file);
  if (json.contains("columns")) descriptor.columns = value<std::vector<std::string>>(json, "columns", file);
  descriptor.parameters = parameters_of(json, file);
  match_file(descriptor, file);
  return descriptor;
}

Descriptor read_descriptor(const std::filesystem::path& file) {
  std::string bytes;
  try {
    bytes = read_plain_file(file, largest_library);
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    fail(file, error.problem(), error.help());
  }
  return read_descriptor(bytes, file);
}

spec::json defaults(const spec::Schema& parameters) {
  auto values = spec::json::object();
  for (const auto& parameter : parameters) {
    if (!parameter.default_value) continue;
    auto& value = values[parameter.name] = *parameter.default_value;
    if (parameter.type == spec::Type::plugin && value.is_string()) value = {{"plugin", value}};
    if (parameter.type != spec::Type::table || !value.is_object()) continue;
    auto whole = defaults(parameter.fields);
    whole.update(value);
    value = std::move(whole);
  }
  return values;
}

}  // namespace compeer::plugin
