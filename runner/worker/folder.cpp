#include "worker/folder.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/error.h"
#include "record/checkpoint.h"
#include "record/run_folder.h"
#include "record/status.h"
#include "spec/text.h"

namespace compeer::worker {

namespace fs = std::filesystem;

namespace {

record::WriterLock lock(const fs::path& folder) {
  try {
    return record::WriterLock(folder / "spec.json");
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    throw Error(folder.string(), "is in use by other workers", "wait until they exit, or stop them", Exit::data);
  }
}

// If the checkpoint of the last step is gone or damaged, but an earlier one is there, it can be made again.
bool nothing_is_left(const fs::path& folder) {
  if (!record::has_finished(folder)) return false;
  const auto checkpoints = record::checkpoint_folders(folder);
  if (checkpoints.empty()) return true;
  return record::step_of(checkpoints[0]) == record::read_summary(folder)->steps &&
         record::damage(checkpoints[0]).empty();
}

void say(const std::string& text) { fmt::print(stderr, "compeer: {}\n", spec::printable(text, 1000)); }

}  // namespace

TakenFolder take_folder(const WorkerCall& call) {
  const fs::path& folder = call.run;
  TakenFolder taken{lock(folder)};
  std::error_code none;
  if (!fs::exists(folder / "spec.json", none) || !record::was_begun(folder)) return taken;
  if (call.resume) {
    taken.is_over = nothing_is_left(folder);
    if (taken.is_over) say(folder.string() + " finished before: nothing is left to do");
  } else if (call.fresh) {
    const auto aside = record::set_aside(folder).filename();
    say(fmt::format("note: starts over; the existing folder {} is now {}", folder.string(), aside.string()));
  } else {
    throw Error(folder.string(), "holds " + record::progress_text(folder),
                "--resume continues it; --fresh starts over and renames the existing folder", Exit::data);
  }
  return taken;
}

}  // namespace compeer::worker
