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
  /// Makes empty settings.
  Settings() = default;
  /// `values`: a JSON object with all settings.
  explicit Settings(nlohmann::json values) : values_(std::move(values)) {}

  // Each of these returns the value of the setting `key`, of the type that its name says: a number, an integer, a
  // boolean, a string, a list of strings, a list of numbers, a table of settings.
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
  /// Returns all settings as a JSON object.
  const nlohmann::json& json() const { return values_; }

 private:
  // Returns the value of a setting. Throws std::logic_error if there is none.
  const nlohmann::json& at(const std::string& key) const {
    if (!values_.contains(key)) throw std::logic_error("setting '" + key + "' is not in the plugin's descriptor");
    return values_.at(key);
  }
  // Returns the value of a setting as a T. Throws std::logic_error, which names `type`, if it is no T.
  template <class T>
  T get(const std::string& key, const char* type) const {
    const auto& value = at(key);
    try {
      return value.get<T>();
    } catch (const nlohmann::json::type_error&) {
      throw std::logic_error("setting '" + key + "' is " + value.dump() + ", but the plugin reads it as " + type);
    }
  }

  // All settings: a JSON object.
  nlohmann::json values_ = nlohmann::json::object();
};

}  // namespace compeer
