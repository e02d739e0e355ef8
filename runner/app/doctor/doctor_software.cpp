// Checks of the software: the worker with its libraries, the launcher, plugins, and optional programs.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "app/doctor/doctor.h"
#include "plugin/search.h"

namespace compeer::app {

std::string first_line(const std::string& text) {
  const auto begin = std::min(text.find_first_not_of('\n'), text.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

namespace fs = std::filesystem;

namespace {

std::string first_match(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

// Reads the version from torch/version.py of the Python wheel, next to the folder of its libraries. Replaces "+cu130"
// by " (CPU only)" if CUDA's libraries of the wheel were left out.
std::string libtorch_version(const fs::path& library) {
  std::ifstream in(library.parent_path().parent_path() / "version.py");
  std::stringstream text;
  text << in.rdbuf();
  const auto version = first_match(text.str(), "__version__ = '([^']+)'");
  const auto cuda = version.find("+cu");
  if (cuda == std::string::npos || fs::exists(library.parent_path() / "libtorch_cuda.so")) return version;
  return version.substr(0, cuda) + " (CPU only)";
}

Finding check_h5py() {
  const auto answer = launch::run_program({"python3", "-c", "import h5py; print(h5py.__version__)"});
  if (answer.exit == 0) return {"h5py", Finding::good, first_line(answer.text), ""};
  return {"h5py", Finding::remark, "not found (optional)",
          "to read run.h5 in Python: apt-get install python3-h5py, or pip install h5py"};
}

Finding check_browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "firefox", "firefox-esr"}) {
    if (launch::run_program({name, "--version"}).exit == 0) return {"browser", Finding::good, name, ""};
  }
  return {"browser", Finding::remark, "none found here (optional)",
          "report.html is one file: open it on any machine with a browser"};
}

}  // namespace

Finding interpret_libraries(const std::string& loaded) {
  const auto absent = first_match(loaded, "(\\S+) => not found");
  if (!absent.empty()) {
    return {"libtorch", Finding::lacking, absent + ", which compeer-worker needs, is not found",
            "run ./compeer, which finds or downloads libtorch and builds again"};
  }
  const auto path = fs::path(first_match(loaded, "libtorch_cpu\\.so => (\\S+)")).lexically_normal().string();
  if (path.empty())
    return {"libtorch", Finding::lacking, "compeer-worker does not load it", "run ./compeer to build it again"};
  const auto version = libtorch_version(path);
  return {"libtorch", Finding::good, version.empty() ? path : version + ", " + path, ""};
}

std::vector<Finding> check_worker(const fs::path& program) {
  std::error_code none;
  if (!fs::exists(program, none)) {
    return {{"worker", Finding::lacking, "no " + program.string(), "build it with ./compeer or ninja compeer-worker"}};
  }
  const auto answer = launch::run_program({program.string(), "--version"});
  // Libraries may print messages first, such as libgomp for an invalid OMP_NUM_THREADS.
  const auto version = first_match(answer.text, "(compeer-worker [^\n]+)");
  Finding worker{"worker", Finding::good, fmt::format("{}, {}", version, program.string()), ""};
  if (answer.exit != 0) {
    worker.state = Finding::lacking;
    worker.result = fmt::format("{} --version failed with exit code {}: {}", program.string(), answer.exit,
                                first_line(answer.text));
    worker.remedy = "run ./compeer to build it again";
  }
  // LD_TRACE_LOADED_OBJECTS makes the dynamic loader list the libraries, as ldd does.
  return {worker, interpret_libraries(launch::run_program({program.string()}, {"LD_TRACE_LOADED_OBJECTS=1"}).text)};
}

Finding check_launcher(const std::string& program, uid_t user) {
  const auto answer = launch::run_program({program, "--version"});
  if (answer.exit != 0) {
    return {"mpirun", Finding::lacking, "not found: runs of one rank only", "apt-get install openmpi-bin"};
  }
  Finding finding{"mpirun", Finding::good, first_line(answer.text), ""};
  if (answer.text.find("Open MPI") == std::string::npos) {
    finding.state = Finding::remark;
    finding.remedy = "compeer was built with Open MPI; put its mpirun first in PATH";
  } else if (user == 0) {
    finding.remedy =
        "you are root: compeer run allows that; to call mpirun yourself, set OMPI_ALLOW_RUN_AS_ROOT=1 "
        "and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
  }
  return finding;
}

Finding check_plugins() {
  const plugin::Finder finder;
  std::set<std::string> folders;
  std::string broken;
  size_t count = 0;
  for (const auto& found : finder.all()) {
    if (!found.problem.empty()) {
      broken += (broken.empty() ? "" : "; ") + found.path.string() + ": " + found.problem;
    } else if (!found.shadowed) {
      ++count;
      folders.insert(found.path.parent_path().parent_path().lexically_normal().string());
    }
  }
  if (count == 0) {
    std::string searched;
    for (const auto& folder : finder.folders()) searched += (searched.empty() ? "" : ", ") + folder.string();
    return {"plugins", Finding::lacking, "none in " + searched,
            "build them with ./compeer, or set COMPEER_PLUGIN_PATH"};
  }
  Finding finding{"plugins", Finding::good, fmt::format("{} in {}", count, fmt::join(folders, ", ")), ""};
  if (!broken.empty()) finding.state = Finding::remark, finding.remedy = "can't be used: " + broken;
  return finding;
}

Finding check_hdf5() { return {"HDF5", Finding::good, COMPEER_HDF5_VERSION, ""}; }

std::vector<Finding> check_optional() { return {check_h5py(), check_browser()}; }

}  // namespace compeer::app
