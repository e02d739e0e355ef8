# shellcheck shell=bash
# CUDA's part of libtorch, which COMPEER_DEVICE=cuda asks for. It is added to the folder of the fetched CPU part.
# Programs are linked with the CPU part alone, and open CUDA's when they are told to use a GPU.
#
# libtorch_cuda.so is put beside libtorch_cpu.so last: where it is, all of CUDA's part is.

has_cuda_part() { [[ -f $(dirname "${torch_library:?}")/libtorch_cuda.so ]]; }

# need_cuda_part PINS KEPT: KEPT is empty for a libtorch of the user's.
need_cuda_part() {
  has_cuda_part && [[ -z $2 || ! -w $2.cuda.wheels ]] && return
  [[ -n $2 ]] ||
    stop "COMPEER_DEVICE=cuda, but the libtorch in ${torch_root:?} has no CUDA (lib/libtorch_cuda.so)" \
      "set COMPEER_TORCH_ROOT to a libtorch with CUDA, or unset COMPEER_TORCH_ROOT and CMAKE_PREFIX_PATH to fetch one"
  fetch_cuda_part "$1" "$2"
}

# fetch_cuda_part PINS FOLDER: wheels wait beside the folder, as for fetch_libtorch. They have 2383 MB, and 3108 MB are
# unpacked.
fetch_cuda_part() {
  local pins=$1 kept=$2 wheels=$2.cuda.wheels missing
  [[ -w $kept && -w ${kept%/*} ]] ||
    stop "CUDA's part of libtorch is missing, and $kept can't be written" \
      "set XDG_CACHE_HOME to a writable folder with 7 GB of space"
  lock "$kept.lock" "fetching CUDA's part of libtorch"
  if ! has_cuda_part; then
    mkdir -p "$wheels"
    rm -rf "$wheels/unfinished" "$kept.cuda.part"
    need_space "$wheels" $((5600 - $(du -sm "$wheels" | cut -f1)))
    missing=$(missing_wheels "$pins" "$wheels")
    [[ -z $missing ]] ||
      download_wheels "$missing" "$wheels" "CUDA's part of libtorch $(pinned_version "$pins")" "up to 2.5 GB"
    unpack_cuda_part "$wheels" "$kept"
  fi
  rm -rf "$wheels"
  unlock
}

# keep_torch_wheel FOLDER: the wheel of torch that the CPU part came from holds CUDA's part, too.
keep_torch_wheel() {
  mkdir -p "$1.cuda.wheels"
  mv -f "$1".wheels/torch-*.whl "$1.cuda.wheels" 2>/dev/null || true
}

# unpack_cuda_part WHEELS FOLDER
unpack_cuda_part() {
  local part=$2.cuda.part wheel
  say "unpacking CUDA's part of libtorch"
  mkdir -p "$part"
  for wheel in "$1"/*.whl; do
    unpack_for_cuda "$wheel" "$part" ||
      stop "CUDA's part of libtorch could not be unpacked in $part" \
        "free disk space, delete $1 if its files are damaged, and try again"
  done
  add_cuda_part "$part" "$2" ||
    stop "CUDA's part of libtorch could not be moved to $2" "free disk space and try again"
  rm -rf "$part"
}

# unpack_for_cuda WHEEL FOLDER: libraries without what is compiled against, and licences in any spelling.
unpack_for_cuda() {
  case ${1##*/} in
    torch-*) unzip -qo "$1" torch/lib/lib{c10_cuda,caffe2_nvrtc,torch_{cuda,cuda_linalg,nvshmem}}.so -d "$2" ;;
    *) unzip -qoC "$1" 'nvidia/*/lib/*.so*' '*/license*' -d "$2" ;;
  esac
}

# add_cuda_part PART FOLDER: others may be using the folder, so files are added one by one.
add_cuda_part() {
  local file last=torch/lib/libtorch_cuda.so
  while IFS= read -r file; do
    { mkdir -p "$2/${file%/*}" && mv -f "$1/$file" "$2/$file"; } || return
  done < <(cd "$1" && find . -type f ! -path "./$last")
  sync --file-system "$2" && mv -f "$1/$last" "$2/$last"
}
