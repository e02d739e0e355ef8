# How our own code is compiled: C++20, warnings are errors, one fixed meaning for floating point.
option(COMPEER_WERROR "Treat warnings in our own code as errors" ON)
set(COMPEER_SANITIZE "" CACHE STRING "Sanitizers for our own code, such as address,undefined")
option(COMPEER_FUZZ "Build the programs of fuzz/ (clang), and instrument everything for them" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# A source that includes libtorch takes 1 to 1.5 GB to compile: as many at a time as memory allows, whatever the number
# of processors. CompeerParts puts into this pool what links libtorch.
include(CompeerMemory)
compeer_memory(COMPEER_MEMORY)
math(EXPR _heavy "(${COMPEER_MEMORY} + 1024) / 2048")
if(_heavy LESS 1)
  set(_heavy 1)
endif()
set_property(GLOBAL PROPERTY JOB_POOLS heavy=${_heavy})

# Twelve sources of a target compiled as one take a third of the time together. Right for a first build, wrong for daily
# work, where a change of one compiles all twelve. It reads common headers once, too (CompeerTargets).
option(COMPEER_UNITY "Compile the sources of rooms and plugins twelve at a time" OFF)

find_program(COMPEER_CCACHE ccache)
if(COMPEER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What one checkout has compiled, another finds: paths count from its root.
  set(CMAKE_CXX_COMPILER_LAUNCHER env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros "${COMPEER_CCACHE}")
endif()

add_library(compeer_flags INTERFACE)
add_library(compeer::flags ALIAS compeer_flags)
set_target_properties(compeer_flags PROPERTIES EXPORT_NAME flags)
target_compile_options(compeer_flags INTERFACE
  -Wall -Wextra -ffp-contract=off
  # __FILE__ without the checkout's path, so that ccache finds what another checkout has compiled
  $<BUILD_INTERFACE:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>
  # these two mind what stands in other sources
  $<BUILD_INTERFACE:$<IF:$<BOOL:${COMPEER_UNITY}>,$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>,-Wshadow>>
  $<BUILD_INTERFACE:$<$<AND:$<BOOL:${COMPEER_UNITY}>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>>  # for ccache
  $<BUILD_INTERFACE:$<$<BOOL:${COMPEER_WERROR}>:-Werror>>)

if(COMPEER_SANITIZE)
  # Following variables through what the sanitizers add would take the compiler ten times as long.
  add_compile_options(-fsanitize=${COMPEER_SANITIZE} -fno-omit-frame-pointer -fno-var-tracking-assignments -g)
  add_link_options(-fsanitize=${COMPEER_SANITIZE})
  # With what the sanitizers add, gcc 12 finds std::regex's own variables uninitialized.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
endif()

if(COMPEER_FUZZ)
  add_compile_options(-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(__SANITIZE_ADDRESS__)  # as gcc says it
endif()

# Ranks of the tests may be root's.
set(COMPEER_TEST_ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
