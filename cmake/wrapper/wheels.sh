# shellcheck shell=bash
# Wheels that a list pins by version and hash (cmake/*.lock), fetched into a folder.

pinned_version() {
  local line
  while read -r line; do
    if [[ $line =~ ^torch==([0-9.]+) ]]; then
      echo "${BASH_REMATCH[1]}"
      return
    fi
  done <"$1"
}

# missing_wheels PINS FOLDER: the pins of which no file with this hash is there.
missing_wheels() {
  local line sums
  sums=" $(find "$2" -maxdepth 1 -name '*.whl' -exec sha256sum {} + | cut -d' ' -f1 | tr '\n' ' ')"
  while read -r line; do
    [[ ! $line =~ --hash=sha256:([0-9a-f]{64}) || $sums == *" ${BASH_REMATCH[1]} "* ]] || echo "$line"
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

# download_wheels PINS FOLDER WHAT SIZE: PINS is the text of the lines. pip checks every hash. Its unfinished files lie
# beside the wheels, for the next attempt to clear away.
download_wheels() {
  local pins=$1 wheels=$2 python
  python=$(python_with_pip) ||
    stop "python3 has no pip, which fetches libtorch" "run apt-get install python3-pip, or set COMPEER_TORCH_ROOT to an installed libtorch"
  rm -rf "$wheels/unfinished"
  mkdir -p "$wheels/unfinished"
  say "fetching $3 ($4, once; kept in $(dirname "$wheels"))"
  TMPDIR=$wheels/unfinished quietly "$wheels/log.txt" download_progress download_each "$python" "$pins" "$wheels" ||
    download_failed "$wheels/log.txt"
  rm -rf "$wheels/unfinished"
}

# download_each PYTHON PINS FOLDER: pip puts files into the folder when it has all it was asked for. It is asked for one
# at a time, so that an interruption costs no more than one.
download_each() {
  local pin
  while read -r pin; do
    echo "$pin" >"$3/pin.txt"
    "$1" -m pip download --requirement "$3/pin.txt" --require-hashes --no-deps --no-cache-dir --progress-bar off \
      --disable-pip-version-check --dest "$3" --only-binary=:all: --implementation cp --python-version 3.11 \
      --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_25_x86_64 \
      --platform manylinux_2_18_x86_64 --platform manylinux2014_x86_64 --platform manylinux2010_x86_64 \
      --platform manylinux1_x86_64 || return
  done <<<"$2"
}

download_progress() { echo "fetching libtorch: $(du -sm "$(dirname "$1")" 2>/dev/null | cut -f1) MB"; }

download_failed() {
  end_progress
  grep -v '^ *$' "$1" | tail -n 12 >&2
  stop "libtorch could not be fetched" "check the network and try again, or set COMPEER_TORCH_ROOT to an installed libtorch"
}

# need_space FOLDER MEGABYTES
need_space() {
  local free
  free=$(df --output=avail -BM "$1" | tail -n 1 | tr -dc '0-9')
  ((free >= $2)) || stop "$1 has $free MB free, but $2 MB are required" "free disk space, or set XDG_CACHE_HOME to a folder on a larger disk"
}
