// Checks of the machine: processor, cores, memory, limits, GPU.
#include <fmt/format.h>

#include <cmath>

#include "app/doctor/doctor.h"

namespace compeer::app {

namespace fs = std::filesystem;

namespace {

constexpr double gib = 1024.0 * 1024 * 1024, mib = 1024.0 * 1024;
constexpr uint64_t enough_files = 1024;
constexpr double enough_shared = 64;  // MiB; the default of many containers

std::string gibibytes(uint64_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / gib); }

Finding check_cores(const Machine& machine, unsigned all) {
  const auto mine = machine.cores.size();
  Finding finding{"cores", Finding::good, fmt::format("{} ({})", mine, core_text(machine.cores)), ""};
  if (mine < all) finding.result = fmt::format("{} of {} ({})", mine, all, core_text(machine.cores));
  if (machine.quota > 0 && machine.quota < static_cast<double>(mine)) {
    finding.state = Finding::remark;
    finding.result += fmt::format(", but limited to the time of {:.3g}", machine.quota);
    finding.remedy = fmt::format(
        "ranks x threads of a run should be at most {:.0f}; the control group sets the limit "
        "(docker --cpus, the batch system)",
        std::max(1.0, std::floor(machine.quota)));
  }
  return finding;
}

Finding check_memory(const Machine& machine) {
  Finding finding{"memory", Finding::good,
                  fmt::format("{}, {} free", gibibytes(machine.memory), gibibytes(machine.free)), ""};
  if (!machine.limited_by.empty()) finding.result += ", the limit of " + machine.limited_by;
  if (static_cast<double>(machine.memory) < 2 * gib) {
    finding.state = Finding::remark;
    finding.remedy = "a rank of a small model takes 0.3 GiB, compiling 1.5 GiB";
  } else if (static_cast<double>(machine.free) < gib) {
    finding.state = Finding::remark;
    finding.remedy = "little memory is free; a rank of a small model takes 0.3 GiB";
  }
  return finding;
}

}  // namespace

Processor this_processor() {
  Processor processor;
#ifdef __x86_64__
  processor.avx2 = __builtin_cpu_supports("avx2");
  processor.fma = __builtin_cpu_supports("fma");
  processor.avx512 = __builtin_cpu_supports("avx512f");
  processor.bfloat16 = __builtin_cpu_supports("avx512bf16");
#endif
  return processor;
}

Finding check_processor(const Processor& processor) {
  if (processor.avx2 && processor.fma)
    return {"processor", Finding::good,
            processor.bfloat16 ? "AVX2, FMA, AVX-512 with bfloat16"
            : processor.avx512 ? "AVX2, FMA, AVX-512"
                               : "AVX2, FMA (no AVX-512)",
            ""};
  return {
      "processor", Finding::lacking,
      fmt::format("no {}{}{}", processor.avx2 ? "" : "AVX2", processor.avx2 || processor.fma ? "" : ", ",
                  processor.fma ? "" : "FMA"),
      "compeer needs an x86-64 processor of 2013 or later; in a virtual machine, pass the host's processor through"};
}

std::vector<Finding> check_machine(const Machine& machine, unsigned all) {
  return {check_cores(machine, all), check_memory(machine)};
}

std::vector<Finding> check_limits(uint64_t open_files, uint64_t shared_memory) {
  Finding files{"open files", Finding::good, fmt::format("{} at most", open_files), ""};
  if (open_files == 0) files.result = "unknown";
  if (open_files == UINT64_MAX) files.result = "no limit";
  if (open_files > 0 && open_files < enough_files) {
    files.state = Finding::remark;
    files.remedy =
        fmt::format("many ranks on a host, and many runs at once, need more: ulimit -n {}", 4 * enough_files);
  }
  const double size = static_cast<double>(shared_memory) / mib;
  Finding shared{"shared memory", Finding::good, fmt::format("{:.0f} MiB free in /dev/shm", size), ""};
  if (size < enough_shared) {
    shared.state = Finding::remark;
    shared.remedy = "ranks on one host communicate through it: use docker --shm-size=1g, or mpirun --mca btl tcp,self";
  }
  return {files, shared};
}

std::vector<Finding> check_sizes(uint64_t address_space, uint64_t file_size) {
  std::vector<Finding> findings;
  if (address_space != UINT64_MAX) {
    findings.push_back({"address space", Finding::remark, gibibytes(address_space) + " at most",
                        "libraries reserve far more than they use: ulimit -v unlimited"});
  }
  if (file_size != UINT64_MAX) {
    findings.push_back({"file size", Finding::remark, gibibytes(file_size) + " at most",
                        "a larger checkpoint or run.h5 ends the run: ulimit -f unlimited"});
  }
  return findings;
}

Finding check_device(const fs::path& root) {
  std::error_code none;
  if (fs::exists(root / "dev/nvidiactl", none))
    return {"device", Finding::good, "CPU, and an NVIDIA GPU", "compeer doctor --device cuda tests the GPU"};
  if (fs::exists(root / "dev/kfd", none))
    return {"device", Finding::good, "CPU; there is an AMD GPU, which compeer does not use", ""};
  return {"device", Finding::good, "CPU; no driver of an NVIDIA GPU found", ""};
}

}  // namespace compeer::app
