#pragma once
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace compeer {

/// The settings of a plugin. Every key of the descriptor is present: the host has filled in defaults and checked types
/// and ranges. Getters therefore throw (std::logic_error) only if the plugin asks for a key or type that its descriptor
/// does not declare.
class Settings {
 public:
  Settings() = default;
  explicit Settings(nlohmann::json values) : values_(std::move(values)) {}

  double number(const std::string& key) const { return get<double>(key, "a number"); }
  int64_t integer(const std::string& key) const { return get<int64_t>(key, "an integer"); }
  bool flag(const std::string& key) const { return get<bool>(key, "a boolean"); }
  std::string text(const std::string& key) const { return get<std::string>(key, "a string"); }
  std::vector<std::string> texts(const std::string& key) const {
    return get<std::vector<std::string>>(key, "a list of strings");
  }
  std::vector<double> numbers(const std::string& key) const {
    return get<std::vector<double>>(key, "a list of numbers");
  }
  Settings table(const std::string& key) const { return Settings(at(key)); }

  /// Returns false if the key is missing or its value is null, which means "not set".
  bool has(const std::string& key) const { return values_.contains(key) && !values_.at(key).is_null(); }
  /// Returns the whole table.
  const nlohmann::json& json() const { return values_; }

 private:
  const nlohmann::json& at(const std::string& key) const {
    if (!values_.contains(key)) throw std::logic_error("setting '" + key + "' is not in the plugin's descriptor");
    return values_.at(key);
  }
  template <class T>
  T get(const std::string& key, const char* type) const {
    const auto& value = at(key);
    try {
      return value.get<T>();
    } catch (const nlohmann::json::type_error&) {
      throw std::logic_error("setting '" + key + "' is " + value.dump() + ", but the plugin reads it as " + type);
    }
  }
  nlohmann::json values_ = nlohmann::json::object();
};

}  // namespace compeer
