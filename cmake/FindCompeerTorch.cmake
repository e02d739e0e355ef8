# libtorch without its own CMake package, which insists on the CUDA toolkit (runner/README.md, "libtorch").
#   COMPEER_TORCH_ROOT  a folder that holds torch/lib and torch/include, as the PyPI wheel unpacks
#   CMAKE_PREFIX_PATH   is searched too: a libtorch archive (lib, include) or a wheel's folder
# and last, if libtorch.lock lies beside this file, the folder that ./compeer keeps a fetched libtorch in.
# Gives the target compeer::torch and the variables CompeerTorch_VERSION and CompeerTorch_FOLDER, its root as above.
set(_roots ${COMPEER_TORCH_ROOT} $ENV{COMPEER_TORCH_ROOT})
foreach(prefix IN LISTS CMAKE_PREFIX_PATH)
  list(APPEND _roots ${prefix} ${prefix}/..)
endforeach()
if(DEFINED ENV{CMAKE_PREFIX_PATH})
  string(REPLACE ":" ";" _env "$ENV{CMAKE_PREFIX_PATH}")
  foreach(prefix IN LISTS _env)
    list(APPEND _roots ${prefix} ${prefix}/..)
  endforeach()
endif()

set(_cache "$ENV{XDG_CACHE_HOME}")
if(NOT _cache)
  set(_cache "$ENV{HOME}/.cache")
endif()
set(_lines "")
if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/libtorch.lock")
  file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/libtorch.lock" _lines REGEX "^torch==")
endif()
if(_lines MATCHES "torch==([0-9.]+)")
  list(APPEND _roots "${_cache}/compeer/libtorch-${CMAKE_MATCH_1}-cpu")
endif()

find_path(CompeerTorch_INCLUDE_DIR ATen/ATen.h PATHS ${_roots} PATH_SUFFIXES torch/include include NO_DEFAULT_PATH)
find_library(CompeerTorch_LIBRARY torch_cpu PATHS ${_roots} PATH_SUFFIXES torch/lib lib NO_DEFAULT_PATH)
find_library(CompeerTorch_C10_LIBRARY c10 PATHS ${_roots} PATH_SUFFIXES torch/lib lib NO_DEFAULT_PATH)
foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(CompeerTorch_INCLUDE_DIR AND EXISTS "${CompeerTorch_INCLUDE_DIR}/${header}" AND NOT CompeerTorch_VERSION)
    file(STRINGS "${CompeerTorch_INCLUDE_DIR}/${header}" _lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
    string(REGEX REPLACE "[^;0-9]+" "" _numbers "${_lines}")
    string(REPLACE ";" "." CompeerTorch_VERSION "${_numbers}")
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CompeerTorch
  REQUIRED_VARS CompeerTorch_LIBRARY CompeerTorch_C10_LIBRARY CompeerTorch_INCLUDE_DIR
  VERSION_VAR CompeerTorch_VERSION
  REASON_FAILURE_MESSAGE "run ./compeer, which fetches libtorch, or set COMPEER_TORCH_ROOT")

if(CompeerTorch_FOUND)
  get_filename_component(_lib "${CompeerTorch_LIBRARY}" DIRECTORY)
  string(REGEX REPLACE "(/torch)?/lib$" "" CompeerTorch_FOLDER "${_lib}")
endif()

if(CompeerTorch_FOUND AND NOT TARGET compeer::torch)
  add_library(compeer::torch INTERFACE IMPORTED)
  target_include_directories(compeer::torch SYSTEM INTERFACE
    "${CompeerTorch_INCLUDE_DIR}" "${CompeerTorch_INCLUDE_DIR}/torch/csrc/api/include")
  # libtorch ships headers of a newer fmt than Debian's library: what includes both uses them without a library.
  target_compile_definitions(compeer::torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1 FMT_HEADER_ONLY=1
    COMPEER_TORCH_VERSION="${CompeerTorch_VERSION}")
  # The texts of its assertions name its headers: not by a folder of the machine that built them.
  target_compile_options(compeer::torch INTERFACE "-fmacro-prefix-map=${CompeerTorch_FOLDER}=libtorch")
  target_link_libraries(compeer::torch INTERFACE "${CompeerTorch_LIBRARY}" "${CompeerTorch_C10_LIBRARY}")
  target_link_options(compeer::torch INTERFACE
    "LINKER:-rpath-link,${_lib}" "LINKER:-rpath-link,${_lib}/../../nvidia/cu13/lib")
endif()
