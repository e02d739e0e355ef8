#!/usr/bin/env bash
# shellcheck source=tests/wrapper/claims.sh disable=SC2154,SC2016,SC2034
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"
python3 -m pip --version >/dev/null 2>&1 || python=/usr/bin/python3
"${python:=python3}" -m pip --version >/dev/null 2>&1 || { echo "no pip here: skipped"; exit 77; }
command -v unzip >/dev/null || { echo "no unzip here: skipped"; exit 77; }

# place FOLDER: the two files a libtorch is known by.
place() {
  mkdir -p "$1/lib" "$1/include/ATen"
  touch "$1/lib/libtorch_cpu.so" "$1/include/ATen/ATen.h"
}
where='echo "$torch_root $torch_library"'

# --- a libtorch of the user's
place "$work/archive"
place "$work/site/torch"
for given in archive:archive site:site/torch; do
  COMPEER_TORCH_ROOT=$work/${given%:*} ask "need_libtorch none; $where"
  claim "COMPEER_TORCH_ROOT takes the layout of ${given%:*}" \
    equal "$out" "$work/${given%:*} $work/${given#*:}/lib/libtorch_cpu.so"
done
COMPEER_TORCH_ROOT=$work/home ask "need_libtorch none"
claim "COMPEER_TORCH_ROOT without a libtorch is an error" contains "$err" "has no libtorch"
claim "that ends the wrapper" equal "$code" 1
for prefix in "$work/archive" "/nowhere:$work/archive" "$work/archive/share/cmake"; do
  CMAKE_PREFIX_PATH=$prefix ask "need_libtorch none; $where"
  claim "CMAKE_PREFIX_PATH=$prefix is used" equal "$out" "$work/archive $work/archive/lib/libtorch_cpu.so"
done

# --- fetching, from small wheels in a folder instead of the network
# wheel NAME TAG FILE...: a wheel of version 1.0 with these files.
wheel() {
  local name=$1 tag=$2 tree=$work/tree file info
  shift 2
  info=$name-1.0.dist-info
  rm -rf "$tree"
  for file in "$@" "$info/licenses/LICENSE" "$info/METADATA" "$info/WHEEL" "$info/RECORD"; do
    mkdir -p "$tree/$(dirname "$file")"
    echo "$file" >"$tree/$file"
  done
  printf 'Metadata-Version: 2.1\nName: %s\nVersion: 1.0\n' "$name" >"$tree/$info/METADATA"
  printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: %s\n' "$tag" >"$tree/$info/WHEEL"
  (cd "$tree" && "$python" -m zipfile -c "$work/wheels/$name-1.0-$tag.whl" ./*)
}
locked() { echo "$1==1.0 --hash=sha256:$(sha256sum "$work/wheels/${1//-/_}"-*.whl | cut -d' ' -f1)"; }

mkdir -p "$work/wheels"
wheel torch cp311-cp311-manylinux_2_28_x86_64 torch/include/ATen/ATen.h torch/lib/libc10.so torch/lib/libtorch_cpu.so \
  torch/lib/libtorch_cuda.so torch/version.py torch/nn/functional.py
wheel nvidia_cuda_runtime py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64 nvidia/cu13/lib/libcudart.so.13
wheel nvidia_cuda_cupti py3-none-manylinux_2_25_x86_64 nvidia/cu13/lib/libcupti.so.13 nvidia/cu13/include/cupti.h
export pins=$work/pins
{ echo "# comment"; locked torch; locked nvidia-cuda-runtime; locked nvidia-cuda-cupti; } >"$pins"
export PIP_NO_INDEX=1 PIP_FIND_LINKS=file://${work// /%20}/wheels
fetch='need_space() { :; }; uname() { echo x86_64; }; need_libtorch "$pins"'
export kept=$HOME/.cache/compeer/libtorch-1.0-cpu
files() { (cd "$1" && find . -type f | sort | tr '\n' ' '); }
wanted="./nvidia/cu13/lib/libcudart.so.13 ./nvidia/cu13/lib/libcupti.so.13\
 ./nvidia_cuda_cupti-1.0.dist-info/licenses/LICENSE ./nvidia_cuda_runtime-1.0.dist-info/licenses/LICENSE\
 ./torch-1.0.dist-info/licenses/LICENSE ./torch/include/ATen/ATen.h ./torch/lib/libc10.so ./torch/lib/libtorch_cpu.so\
 ./torch/version.py "

ask "$fetch; $where"
claim "libtorch is fetched" equal "$out" "$kept $kept/torch/lib/libtorch_cpu.so"
claim "only the CPU part is kept" equal "$(files "$kept")" "$wanted"
claim "no wheel stays" test ! -e "$kept.wheels"
claim "no part stays" test ! -e "$kept.part"

ask "fetch_libtorch() { stop 'fetched again'; }; $fetch"
claim "what is there is not fetched again, and nothing is said" silent

rm -rf "$kept"
mkdir -p "$kept.part/torch/lib" "$kept.wheels"
touch "$kept.part/torch/lib/libtorch_cpu.so" "$kept.part/junk"
cp "$work/wheels"/* "$kept.wheels"
ask "download_wheels() { stop 'downloaded again'; }; $fetch"
claim "after a kill while unpacking, wheels are not downloaded again" equal "$code" 0
claim "and nothing of the first attempt stays" equal "$(files "$kept")" "$wanted"

rm -rf "$kept"
mkdir -p "$kept.wheels/unfinished/pip-unpack"
for file in "$work/wheels"/*; do head -c 300 "$file" >"$kept.wheels/${file##*/}"; done
ask "$fetch"
claim "after a kill while downloading, cut-off wheels are replaced" equal "$(files "$kept")" "$wanted"

mkdir -p "$kept.wheels"
ask "$fetch"
claim "wheels left by a kill at the very end are cleared away" test ! -e "$kept.wheels"

rm -rf "$kept"
sed 's/sha256:..../sha256:0000/' "$pins" >"$work/wrong"
pins=$work/wrong ask "$fetch"
claim "a wheel with another hash is refused" equal "$code" 1
claim "saying so" contains "$err" "DO NOT MATCH THE HASHES"
claim "and nothing is put in place" test ! -e "$kept"

PIP_FIND_LINKS=/nonexistent ask "rm -rf \"\$kept.wheels\"; $fetch"
claim "a download that fails has a remedy" contains "$err" "help: is there a network?"

ask 'df() { printf "Avail\n  900M\n"; }; uname() { echo x86_64; }; need_libtorch "$pins"'
claim "too little room is said before anything is fetched" contains "$err" "has 900 MB free, 1200 are needed"
ask 'uname() { echo riscv64; }; need_libtorch "$pins"'
claim "an architecture without a wheel is named" contains "$err" "no libtorch is pinned for riscv64"
ask 'unset HOME; need_libtorch "$pins"'
claim "a user without a home is told what to set" contains "$err" "set XDG_CACHE_HOME"

# --- two at once: the second waits for the first, then uses what it fetched
rm -rf "$kept" "$kept.wheels"
export words=$work/words
mkfifo "$words"
exec {first}>"$kept.lock" {heard}<>"$words"
flock "$first"
(
  exec {first}>&- {heard}>&-
  ask "exec 2>\"\$words\"; download_wheels() { stop 'downloaded twice'; }; $fetch; $where"
  echo "$code $out" >"$work/second"
) &
read -r -t 60 line <&"$heard"
claim "the second of two says that it waits" equal "$line" "compeer: another compeer is fetching libtorch; waiting for it"
place "$kept/torch"
exec {first}>&-
wait
claim "and uses what the first fetched" equal "$(<"$work/second")" "0 $kept $kept/torch/lib/libtorch_cpu.so"

finish
