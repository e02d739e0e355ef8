#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

// Schemas: declarations of the settings that tables of a run's settings may contain. Plugins declare their own settings
// in their descriptors; all others are declared in this room. *Table* means a JSON object, as in TOML.

namespace compeer::spec {

using json = nlohmann::json;

/// Type of a setting. `path`: a string that names a file or folder. `plugin`: the name of a plugin, or a table {plugin
/// = name, ...} with the plugin's settings.
enum class Type { integer, number, boolean, string, path, list, table, plugin };

/// The declaration of one setting: a key that a table may contain. Validation, help texts and reference pages are
/// derived from it.
struct SettingSchema {
  std::string name;  ///< the key
  Type type = Type::string;
  std::optional<json> default_value;  ///< no value: the key is required; null: unset by default
  std::optional<double> min, max;     ///< numbers: limits of the value; lists: limits of the number of items
  bool above_min = false;             ///< the value must be greater than `min`, not equal to it
  bool below_max = false;             ///< the value must be less than `max`, not equal to it
  std::vector<std::string> choices;   ///< strings, also in lists: the allowed values; empty: any
  std::string help;                   ///< description for users: one line, with the unit
  Type items = Type::string;          ///< lists: the type of each item
  std::vector<SettingSchema> fields;  ///< tables, and lists of tables: the keys inside
  bool open = false;                  ///< tables: any keys and values are allowed; they are not checked
  std::string
      contents_of;  ///< strings: name of the setting in the same table with a file; its text is the value; or ""
  bool run_folder = false;  ///< paths: the value { run = "NAME" } means the run's folder instead of its output
  std::string kind;         ///< plugins: kind of the plugin, "similarity"; `default_value` is then a name
};

/// The declarations of all keys of a table.
using Schema = std::vector<SettingSchema>;

/// Reads the "parameters" of a plugin's descriptor: a JSON object that maps each key to an object
///   {"type", "default", "min", "max", "above", "below", "choices", "help", "items", "parameters", "open",
///    "contents_of", "run_folder", "kind"}
/// where "above" and "below" are exclusive limits, "parameters" has the keys of a table (or, with "items": "table", of
/// a list's tables) and "kind" is the kind of a plugin. Only "type" is required. Keeps the order of the keys. Throws
/// Error (exit code 5: plugin not usable) at `where` for an invalid declaration, such as a default outside of its own
/// limits.
Schema parse_schema(const nlohmann::ordered_json& parameters, const std::string& where = "descriptor");

/// Inverse of `parse_schema`, for `compeer plugins inspect --json` and reference pages.
nlohmann::ordered_json schema_json(const Schema& schema);

/// Returns the name of a type in descriptors: "integer", "number", ...
std::string type_name(Type type);

/// Returns the allowed values in words: "an integer from 1 to 4096", "a number above 0", "one of grpo, bnpo, dr_grpo".
std::string describe(const SettingSchema& parameter);

/// Returns the names of the settings, in order.
std::vector<std::string> names(const Schema& schema);
/// Returns the setting of that name, which `schema` owns, or nullptr.
const SettingSchema* find(const Schema& schema, const std::string& name);

}  // namespace compeer::spec
