// Reads a run's spec on all ranks and checks that the ranks run the same code.
#include "worker/spec.h"

#include <cstdio>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "comm/launcher.h"
#include "plugin/allow_list.h"
#include "record/run_folder.h"
#include "spec/spec.h"

namespace compeer::worker {

using nlohmann::json;

namespace {

constexpr uint64_t longest_spec = 64 << 20;

std::string checked_text(const std::filesystem::path& file) {
  std::string text = read_plain_file(file, longest_spec);
  const json read = parse_json(text);
  const bool whole = read.is_object() && read.contains("spec") && read["spec"].is_object();
  if (!whole) throw Error(file, "is not the spec.json of a run", "create one with: compeer run FILE", Exit::spec);
  if (read.value("format", json()) != 1) {
    throw Error(file, "was written by another version of compeer", "resolve it again with: compeer run FILE",
                Exit::spec);
  }
  const auto spec = spec::Spec::from_file_text(text, file.string());  // checks the hash: a flipped byte is found
  return read.at("sha256") == spec.sha256() ? text
                                            : spec.file_text();  // the version before had other names of settings
}

void note(const comm::World& world, const std::string& text) {
  if (world.rank() == 0) std::fprintf(stderr, "compeer: note: %s\n", text.c_str());
}

void check_plugin(comm::World& world, const json& plugin) {
  const std::string name = plugin.value("kind", "?") + "/" + plugin.value("name", "?");
  const std::string hash = world.run_on_all_ranks("check plugins", [&] {
    const std::filesystem::path file = plugin.value("path", "");
    if (!std::filesystem::exists(file)) {
      throw Error(file, "plugin " + name + " no longer exists", "build it, or resolve the run again", Exit::plugin);
    }
    return sha256_file(file);
  });
  world.agree("plugin " + name, hash);
  if (hash != plugin.value("sha256", hash)) note(world, "plugin " + name + " has changed since the run was resolved");
}

}  // namespace

json read_spec(comm::World& world, const std::filesystem::path& run) {
  std::string text;
  world.run_on_all_ranks("read spec", [&] {
    if (world.rank() != 0) return;
    std::error_code none;
    if (!std::filesystem::exists(run / "spec.json", none))
      throw Error(run, "is not a run: it has no spec.json",
                  "create the folder and start its workers with: compeer run FILE", Exit::data);
    record::refuse_outside_files(run);
    text = checked_text(run / "spec.json");
  });
  world.broadcast(text);
  world.agree("spec", sha256(text));
  return json::parse(text);
}

void check_agreement(comm::World& world, const json& spec_file) {
  if (world.size() > 1) {
    world.agree("worker program",
                world.run_on_all_ranks("check program", [] { return sha256_file("/proc/self/exe"); }));
  }
  const std::string allowed =
      world.run_on_all_ranks("read allowed plugins", [] { return plugin::AllowLists().hash(); });
  world.agree("list of allowed plugins", allowed);
  if (!allowed.empty()) note(world, "COMPEER_LOCKED is set: only plugins whose SHA-256 it allows are loaded");
  for (const json& plugin : spec_file.value("plugins", json::array())) check_plugin(world, plugin);
  if (const auto remark = comm::launcher_remark(); world.size() == 1 && !remark.empty()) note(world, remark);
  const int planned = spec_file["spec"].value("ranks", world.size());
  if (planned != world.size()) {
    note(world,
         "the spec sets " + std::to_string(planned) + " ranks, but this run has " + std::to_string(world.size()));
  }
}

}  // namespace compeer::worker
