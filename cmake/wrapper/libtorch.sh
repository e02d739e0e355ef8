# shellcheck shell=bash source-path=SCRIPTDIR
# libtorch: one of the user's, or the CPU part of PyTorch's wheel, kept in the user's cache.
#
# need_libtorch leaves in torch_root the folder that CMake gets and in torch_library the file it should find there.
# With COMPEER_DEVICE=cuda it has CUDA's part, too.
source "${BASH_SOURCE[0]%/*}/wheels.sh"
source "${BASH_SOURCE[0]%/*}/cuda.sh"

torch_library_in() {
  local at
  for at in "$1/torch" "$1"; do
    if [[ -f $at/lib/libtorch_cpu.so && -f $at/include/ATen/ATen.h ]]; then
      echo "$at/lib/libtorch_cpu.so"
      return
    fi
  done
  return 1
}

use_libtorch() {
  torch_library=$(torch_library_in "$1") || return 1
  torch_root=$1
}

# need_libtorch PINS: the pins of CUDA's part lie beside them.
need_libtorch() {
  local kept=''
  case ${COMPEER_DEVICE:-cpu} in
    cpu) need_cpu_part "$1" ;;
    cuda)
      need_cpu_part "$1"
      need_cuda_part "${1%.lock}-cuda.lock" "$kept"
      ;;
    *) stop "unknown COMPEER_DEVICE '$COMPEER_DEVICE'" "set it to cpu (the default) or cuda" ;;
  esac
}

# need_cpu_part PINS: leaves in kept the folder of a libtorch that is fetched; it stays empty for one of the user's.
need_cpu_part() {
  if [[ -n ${COMPEER_TORCH_ROOT:-} ]]; then
    use_libtorch "$(readlink -f "$COMPEER_TORCH_ROOT")" && return
    stop "COMPEER_TORCH_ROOT=$COMPEER_TORCH_ROOT has no libtorch" "name a folder with lib/libtorch_cpu.so and include/, or with torch/lib and torch/include; or unset it to fetch libtorch"
  fi
  libtorch_of_prefix_path && return
  [[ -n ${XDG_CACHE_HOME:-}${HOME:-} ]] || stop "neither HOME nor XDG_CACHE_HOME is set" "set XDG_CACHE_HOME to a folder with 1.2 GB of space"
  kept=${XDG_CACHE_HOME:-$HOME/.cache}/compeer/libtorch-$(pinned_version "$1")-cpu
  use_libtorch "$kept" && [[ ! -w $kept.wheels ]] && return
  fetch_libtorch "$1" "$kept"
}

# CMAKE_PREFIX_PATH may name a libtorch, a folder with torch/ in it, or torch/share/cmake as Python's torch says.
libtorch_of_prefix_path() {
  local prefix
  local -a prefixes
  IFS=':;' read -r -a prefixes <<<"${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}"; do
    [[ -n $prefix ]] || continue
    use_libtorch "$(readlink -m "$prefix")" && return
    use_libtorch "$(readlink -m "$prefix/../..")" && return
  done
  return 1
}

# fetch_libtorch PINS FOLDER: the folder appears whole or not at all. Its wheels wait beside it until then, so what was
# fetched before an interruption is not fetched again.
fetch_libtorch() {
  local pins=$1 kept=$2 cache missing
  cache=$(dirname "$kept")
  [[ $(uname -m) == x86_64 ]] || stop "no libtorch can be fetched for $(uname -m)" "set COMPEER_TORCH_ROOT to an installed libtorch"
  mkdir -p "$cache" 2>/dev/null || true
  [[ -w $cache ]] || stop "can't write into $cache" "set XDG_CACHE_HOME to a writable folder with 1.2 GB of space"
  lock "$kept.lock" "fetching libtorch"
  if ! use_libtorch "$kept"; then
    mkdir -p "$kept.wheels"
    missing=$(missing_wheels "$pins" "$kept.wheels")
    if [[ -n $missing ]]; then
      need_space "$kept.wheels" 1200
      download_wheels "$missing" "$kept.wheels" "libtorch $(pinned_version "$pins")" "about 550 MB"
    fi
    unpack_wheels "$kept.wheels" "$kept"
    use_libtorch "$kept" || stop "the wheels in $kept.wheels contain no libtorch"
  fi
  [[ ${COMPEER_DEVICE:-cpu} != cuda ]] || keep_torch_wheel "$kept"
  rm -rf "$kept.wheels"
  unlock
}

# unpack_wheels WHEELS FOLDER: only what a CPU program needs, a tenth of the whole. libtorch_cpu.so names two NVIDIA
# libraries that the loader insists on; nothing calls them.
unpack_wheels() {
  local part=$2.part
  say "unpacking libtorch"
  rm -rf "$part"
  mkdir -p "$part"
  { unzip -q "$1"/torch-*.whl 'torch/include/*' torch/lib/libc10.so torch/lib/libtorch_cpu.so torch/version.py \
      'torch-*.dist-info/licenses/*' -d "$part" &&
    unzip -q "$1"/nvidia_cuda_runtime-*.whl nvidia/cu13/lib/libcudart.so.13 '*/licenses/*' -d "$part" &&
    unzip -q "$1"/nvidia_cuda_cupti-*.whl nvidia/cu13/lib/libcupti.so.13 '*/licenses/*' -d "$part" &&
    sync "$part"/torch/lib/*.so "$part"/nvidia/cu13/lib/*.so.13; } ||
    stop "libtorch could not be unpacked in $part" "free disk space, delete $1 if its files are damaged, and try again"
  rm -rf "$2"
  mv -T "$part" "$2"
}
