# shellcheck shell=bash
# libtorch: one of the user's, or the CPU part of PyTorch's wheel, kept in the user's cache.
#
# need_libtorch leaves in torch_root the folder that CMake gets and in torch_library the file it should find there.

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

# need_libtorch PINS
need_libtorch() {
  if [[ -n ${COMPEER_TORCH_ROOT:-} ]]; then
    use_libtorch "$(readlink -f "$COMPEER_TORCH_ROOT")" && return
    stop "COMPEER_TORCH_ROOT=$COMPEER_TORCH_ROOT has no libtorch" "it should hold lib/libtorch_cpu.so and include/, or torch/lib and torch/include; unset, a libtorch is fetched"
  fi
  libtorch_of_prefix_path && return
  local kept
  [[ -n ${XDG_CACHE_HOME:-}${HOME:-} ]] || stop "neither HOME nor XDG_CACHE_HOME is set" "set XDG_CACHE_HOME to a folder that may hold 1.2 GB"
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

pinned_version() {
  local line
  while read -r line; do
    if [[ $line =~ ^torch==([0-9.]+) ]]; then
      echo "${BASH_REMATCH[1]}"
      return
    fi
  done <"$1"
}

# fetch_libtorch PINS FOLDER: the folder appears whole or not at all. Its wheels wait beside it until then, so what was
# fetched before an interruption is not fetched again.
fetch_libtorch() {
  local pins=$1 kept=$2 cache
  cache=$(dirname "$kept")
  [[ $(uname -m) == x86_64 ]] || stop "no libtorch is pinned for $(uname -m)" "set COMPEER_TORCH_ROOT to one of yours"
  mkdir -p "$cache" 2>/dev/null || true
  [[ -w $cache ]] || stop "can't write into $cache" "set XDG_CACHE_HOME to a folder of yours that may hold 1.2 GB"
  lock "$kept.lock" "fetching libtorch"
  if ! use_libtorch "$kept"; then
    mkdir -p "$kept.wheels"
    have_wheels "$pins" "$kept.wheels" || download_wheels "$pins" "$kept.wheels"
    unpack_wheels "$kept.wheels" "$kept"
    use_libtorch "$kept" || stop "the wheels in $kept.wheels hold no libtorch"
  fi
  rm -rf "$kept.wheels"
  unlock
}

# Whether a file of every hash in the list is there.
have_wheels() {
  local line sums
  sums=" $(find "$2" -maxdepth 1 -name '*.whl' -exec sha256sum {} + | cut -d' ' -f1 | tr '\n' ' ')"
  while read -r line; do
    [[ ! $line =~ --hash=sha256:([0-9a-f]{64}) || $sums == *" ${BASH_REMATCH[1]} "* ]] || return 1
  done <"$1"
}

python_with_pip() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      echo "$python"
      return
    fi
  done
  return 1
}

# pip checks every hash. Its unfinished files lie beside the wheels, for the next attempt to clear away.
download_wheels() {
  local pins=$1 wheels=$2 python
  python=$(python_with_pip) ||
    stop "python3 has no pip, which fetches libtorch" "apt-get install python3-pip, or set COMPEER_TORCH_ROOT to a libtorch of yours"
  need_space "$wheels" 1200
  rm -rf "$wheels/unfinished"
  mkdir -p "$wheels/unfinished"
  say "fetching libtorch $(pinned_version "$pins") (about 550 MB, once; kept in $(dirname "$wheels"))"
  TMPDIR=$wheels/unfinished quietly "$wheels/log.txt" download_progress "$python" -m pip download --requirement "$pins" \
    --require-hashes --no-deps --no-cache-dir --progress-bar off --disable-pip-version-check --dest "$wheels" \
    --only-binary=:all: --implementation cp --python-version 3.11 \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux2014_x86_64 ||
    download_failed "$wheels/log.txt"
  rm -rf "$wheels/unfinished"
}

download_progress() { echo "fetching libtorch: $(du -sm "$(dirname "$1")" 2>/dev/null | cut -f1) MB"; }

download_failed() {
  end_progress
  grep -v '^ *$' "$1" | tail -n 12 >&2
  stop "libtorch could not be fetched" "is there a network? then try again; or set COMPEER_TORCH_ROOT to a libtorch of yours"
}

# need_space FOLDER MEGABYTES
need_space() {
  local free
  free=$(df --output=avail -BM "$1" | tail -n 1 | tr -dc '0-9')
  ((free >= $2)) || stop "$1 has $free MB free, $2 are needed" "make room, or set XDG_CACHE_HOME to a larger place"
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
    stop "libtorch could not be unpacked in $part" "is the disk full? delete $1 if its files are damaged, and try again"
  rm -rf "$2"
  mv -T "$part" "$2"
}
