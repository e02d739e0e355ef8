#!/usr/bin/env bash
# shellcheck source=tests/wrapper/claims.sh disable=SC2154,SC2016,SC2034
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh" || exit 1
python3 -m pip --version >/dev/null 2>&1 || python=/usr/bin/python3
"${python:=python3}" -m pip --version >/dev/null 2>&1 || { echo "no pip here: skipped"; exit 77; }
command -v unzip >/dev/null || { echo "no unzip here: skipped"; exit 77; }

# place FOLDER: creates the two files by which the wrapper recognizes a libtorch.
place() {
  mkdir -p "$1/lib" "$1/include/ATen"
  touch "$1/lib/libtorch_cpu.so" "$1/include/ATen/ATen.h"
}
where='echo "$torch_root $torch_library"'

# --- the user's own libtorch
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

# --- download, from small wheels in a folder instead of the network
# wheel NAME TAG FILE...: makes a wheel of version 1.0 with these files.
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
  torch/lib/lib{c10_cuda,caffe2_nvrtc,torch_{cuda,cuda_linalg,nvshmem}}.so torch/version.py torch/nn/functional.py
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
claim "a download that fails has a remedy" contains "$err" "help: check the network and try again"

ask 'df() { printf "Avail\n  900M\n"; }; uname() { echo x86_64; }; need_libtorch "$pins"'
claim "too little room is said before anything is fetched" contains "$err" "has 900 MB free, but 1200 MB are required"
ask 'uname() { echo riscv64; }; need_libtorch "$pins"'
claim "an architecture without a wheel is named" contains "$err" "no libtorch can be fetched for riscv64"
ask 'unset HOME; need_libtorch "$pins"'
claim "a user without a home is told what to set" contains "$err" "set XDG_CACHE_HOME"

# --- two downloads at once: the second waits for the first, then uses its result
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

# --- the CUDA part
COMPEER_DEVICE=tpu ask "need_libtorch none"
claim "a device that is not known is an error" equal "$code" 1
claim "that names it and what is known" contains "$err" "unknown COMPEER_DEVICE 'tpu'
  help: set it to cpu (the default) or cuda"
for given in COMPEER_TORCH_ROOT CMAKE_PREFIX_PATH; do
  (
    export COMPEER_DEVICE=cuda "$given=$work/archive"
    ask "need_libtorch none"
    echo "$code $err"
  ) >"$work/said"
  claim "a libtorch without CUDA in $given is an error" \
    contains "$(<"$work/said")" "1 compeer: COMPEER_DEVICE=cuda, but the libtorch in $work/archive has no CUDA"
  claim "that has a remedy" contains "$(<"$work/said")" "help: set COMPEER_TORCH_ROOT to a libtorch with CUDA"
done
cp -r "$work/archive" "$work/archive2"
touch "$work/archive2/lib/libtorch_cuda.so"
COMPEER_DEVICE=cuda COMPEER_TORCH_ROOT=$work/archive2 ask "need_libtorch none; $where"
claim "one with CUDA is used" equal "$err$out" "$work/archive2 $work/archive2/lib/libtorch_cpu.so"
claim "both lists pin the same torch" \
  equal "$(grep ^torch== "$root/cmake/libtorch.lock")" "$(grep ^torch== "$root/cmake/libtorch-cuda.lock")"

wheel nvidia_cublas py3-none-manylinux_2_27_x86_64 nvidia/cu13/lib/libcublas.so.13 nvidia/cu13/include/cublas.h
wheel nvidia_nccl_cu13 py3-none-manylinux_2_18_x86_64 nvidia/nccl/lib/libnccl.so.2 nvidia/nccl/LICENSE.txt
wheel nvidia_nvtx py3-none-manylinux1_x86_64.manylinux_2_5_x86_64 nvidia/cu13/lib/libnvtx3interop.so.1
{ locked torch; locked nvidia-cublas; locked nvidia-nccl-cu13; locked nvidia-nvtx; } >"$pins-cuda.lock"
with_cuda=$(tr ' ' '\n' <<<"$wanted"'./nvidia/cu13/lib/libcublas.so.13 ./nvidia/cu13/lib/libnvtx3interop.so.1
  ./nvidia/nccl/LICENSE.txt ./nvidia/nccl/lib/libnccl.so.2 ./nvidia_cublas-1.0.dist-info/licenses/LICENSE
  ./nvidia_nccl_cu13-1.0.dist-info/licenses/LICENSE ./nvidia_nvtx-1.0.dist-info/licenses/LICENSE
  ./torch/lib/libc10_cuda.so ./torch/lib/libcaffe2_nvrtc.so ./torch/lib/libtorch_cuda.so
  ./torch/lib/libtorch_cuda_linalg.so ./torch/lib/libtorch_nvshmem.so' | grep . | sort | tr '\n' ' ')
no_download='download_wheels() { stop "downloaded again"; };'

rm -rf "$kept"
COMPEER_DEVICE=cuda ask "fetch_cuda_part() { :; }; $fetch"
claim "CUDA's part takes over the wheel of torch" equal "$(files "$kept.cuda.wheels")" "./$(basename "$work"/wheels/torch-*) "
claim "and the CPU part is there before" equal "$(files "$kept")" "$wanted"

# The network fails after some wheels. The wheels fetched so far are then removed from it, so that only a resumed
# download succeeds.
mkdir -p "$work/away"
mv "$work"/wheels/nvidia_nccl* "$work/away"
COMPEER_DEVICE=cuda ask "$fetch"
claim "a download of CUDA's part that breaks off is an error" contains "$err" "libtorch could not be fetched"
claim "and adds nothing" equal "$(files "$kept")" "$wanted"
mv "$work"/away/* "$work/wheels"
mv "$work"/wheels/{torch,nvidia_cublas}-* "$work/away"
COMPEER_DEVICE=cuda ask "$fetch; $where"
claim "it goes on where it was, into the folder of the CPU part" equal "$out" "$kept $kept/torch/lib/libtorch_cpu.so"
claim "only libraries and licences are added" equal "$(files "$kept")" "$with_cuda"
claim "neither wheels nor a part stay" equal "$(echo "$kept".*)" "$kept.lock"
mv "$work"/away/* "$work/wheels"

for device in cuda cpu ''; do
  COMPEER_DEVICE=$device ask "lock() { stop 'fetched again'; }; $fetch"
  claim "with all there, COMPEER_DEVICE='$device' fetches nothing and says nothing" silent
done

rm -rf "$kept/nvidia/cu13/lib/libcublas.so.13" "$kept/nvidia/nccl" "$kept/torch/lib/libtorch_cuda.so"
mkdir -p "$kept.cuda.wheels" "$kept.cuda.part/torch/lib"
touch "$kept.cuda.part/torch/lib/libtorch_cuda.so" "$kept.cuda.part/junk"
cp "$work"/wheels/{torch,nvidia_cublas,nvidia_nccl_cu13,nvidia_nvtx}-* "$kept.cuda.wheels"
ask "$no_download $fetch"
claim "half of CUDA's part does not concern a CPU program" silent
COMPEER_DEVICE=cuda ask "sync() { kill -KILL \$\$; }; $no_download $fetch" 2>/dev/null   # hides bash's "Killed" message
claim "a kill while files are added" equal "$code" 137
claim "leaves no libtorch_cuda.so" test ! -e "$kept/torch/lib/libtorch_cuda.so"
rm "$kept/nvidia/nccl/lib/libnccl.so.2"
COMPEER_DEVICE=cuda ask "$no_download $fetch"
claim "half of CUDA's part is not taken for the whole" equal "$(files "$kept")" "$with_cuda"

mkdir -p "$kept.cuda.wheels"
COMPEER_DEVICE=cuda ask "$no_download $fetch"
claim "wheels of CUDA's part left by a kill at the very end are cleared away" test ! -e "$kept.cuda.wheels"

rm "$kept/torch/lib/libtorch_cuda.so"
sed -i '/nvtx/s/sha256:..../sha256:0000/' "$pins-cuda.lock"
COMPEER_DEVICE=cuda ask "$fetch"
claim "a wheel of CUDA's part with another hash is refused" contains "$err" "DO NOT MATCH THE HASHES"
claim "and nothing is put in place" test ! -e "$kept/torch/lib/libtorch_cuda.so"
COMPEER_DEVICE=cuda ask 'df() { printf "Avail\n  5000M\n"; }; need_libtorch "$pins"'
claim "CUDA's part asks for more room" contains "$err" "has 5000 MB free, but 55"

finish
