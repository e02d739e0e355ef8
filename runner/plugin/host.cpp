// Implements Host for the plugins of a run.
#include "plugin/host.h"

#include <algorithm>

#include "base/hash.h"
#include "base/random.h"
#include "plugin/cached_chat.h"
#include "plugin/calls.h"

namespace compeer::plugin {

namespace {

// The Similarity that other plugins get: every call is guarded and its result is checked.
class CheckedSimilarity : public Similarity {
 public:
  CheckedSimilarity(Plugin<Similarity> plugin, const Settings&, const Services&) : plugin_(std::move(plugin)) {}
  std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                           const std::vector<std::string>& b) override {
    return plugin::compare(plugin_, a, b);
  }
  std::vector<std::vector<double>> compare_ignoring(const std::vector<std::string>& said,
                                                    const std::vector<std::string>& a,
                                                    const std::vector<std::string>& b) override {
    return plugin::compare(plugin_, a, b, said);
  }

 private:
  Plugin<Similarity> plugin_;
};

uint32_t stream_of(const std::string& title) {
  return static_cast<uint32_t>(std::stoul(sha256(title).substr(0, 8), nullptr, 16));
}

}  // namespace

Settings whole_settings(const PluginFile& chosen, const nlohmann::json& given) {
  const auto parameters = read_descriptor(chosen.path).parameters;
  for (const auto& parameter : parameters) {
    if (parameter.default_value || given.contains(parameter.name)) continue;
    throw Error(chosen.path.string(),
                "plugin " + chosen.kind + "/" + chosen.name + " needs the setting '" + parameter.name + "'", "",
                Exit::plugin);
  }
  auto values = defaults(parameters);
  values.update(given);
  return Settings(values);
}

RunHost::RunHost(const PluginFile& plugin, const Services& services) : RunHost(plugin, services, {}) {}

RunHost::RunHost(const PluginFile& plugin, const Services& services, std::vector<std::string> askers)
    : title_(plugin.kind + "/" + plugin.name),
      folder_(plugin.path.parent_path().string()),
      stream_(stream_of(title_)),
      services_(services),
      askers_(std::move(askers)) {}

RunHost::~RunHost() = default;

void RunHost::log(const std::string& message) {
  if (services_.log) services_.log(title_, message);
}

double RunHost::random(uint32_t a, uint32_t b, uint32_t c) {
  return uniform(services_.seed, Stream::plugin, stream_, a, b, c);
}

template <class T, class Checked, class Known>
auto& RunHost::opened(std::map<std::string, std::unique_ptr<Known>>& known, const Settings& choice) {
  const auto key = choice.json().dump();
  if (const auto open = known.find(key); open != known.end()) return *open->second;
  const auto title = std::string(T::kind) + "/" + choice.text("plugin");
  auto askers = askers_;
  askers.push_back(title_);
  if (std::find(askers.begin(), askers.end(), title) != askers.end()) {
    throw Error(title, "is requested during its own creation",
                "remove the cycle: plugins must not request each other in a circle", Exit::plugin);
  }
  const PluginFile chosen = services_.find(T::kind, choice.text("plugin"));
  std::unique_ptr<Host> host(new RunHost(chosen, services_, std::move(askers)));  // its constructor is private
  const auto settings = whole_settings(chosen, choice.json());
  auto plugin = open<T>(chosen, settings, std::move(host));
  return *known.emplace(key, std::make_unique<Checked>(std::move(plugin), settings, services_)).first->second;
}

Similarity& RunHost::similarity(const Settings& choice) {
  return opened<Similarity, CheckedSimilarity>(similarities_, choice);
}

Chat& RunHost::chat(const Settings& choice) { return opened<ChatModel, CachedChat>(chats_, choice); }

const TextTokenizer& RunHost::tokenizer() const {
  if (!services_.tokenizer)
    throw Error(title_, "requests the policy's tokenizer, but there is none",
                "request it after the model of the run has been opened", Exit::plugin);
  return *services_.tokenizer;
}

LanguageModel& RunHost::language_model(const std::string& directory) {
  if (!services_.language_model)
    throw Error(title_, "requests a language model where none can be loaded", "", Exit::plugin);
  return services_.language_model(directory);
}

std::vector<std::vector<float>> RunHost::embed(const std::vector<std::string>& texts) {
  if (!services_.embed)
    throw Error(title_, "requests embeddings by the policy, but there is none",
                "request them after the model of the run has been opened", Exit::plugin);
  return services_.embed(texts);
}

std::string RunHost::folder() const { return folder_; }

bool RunHost::cancelled() const { return services_.cancelled && services_.cancelled(); }

}  // namespace compeer::plugin
