# What `cmake --install` puts where. All of it finds the rest from where it lies itself, so the folder can be moved.
#   bin/                      the two programs
#   lib/compeer/plugins/      <kind>/<name>.so, with the data that they read (compeer_add_plugin)
#   lib/compeer/libtorch/     the libtorch that ./compeer fetched; one of the user's stays where it is
#   share/compeer/            COMPEER_HOME: experiments, scripts, what these name by path
#   share/doc/compeer/        the pages for users, the licence, the Debian packages to be installed beside it
#   include/compeer/, lib/cmake/compeer/    find_package(compeer), for those who write plugins
# Two components: `programs`, and `sdk` for the last line and libtorch's headers. CompeerPackages packs them.
include(CMakePackageConfigHelpers)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)   # `compeer-programs` is all that is needed: no tests

function(compeer_install)
  compeer_install_torch(torch)
  compeer_install_programs("${torch}")
  compeer_install_files()
  compeer_install_sdk("${torch}")
endfunction()

# Whether libtorch is the one that ./compeer fetched, and so becomes part of what is installed.
function(compeer_torch_comes_along result)
  set(${result} FALSE PARENT_SCOPE)
  if(CompeerTorch_FOLDER MATCHES "/compeer/libtorch-${CompeerTorch_VERSION}-cpu$")
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Sets `result` to libtorch's folder; <prefix> in it stands for the installed folder.
function(compeer_install_torch result)
  set(${result} "${CompeerTorch_FOLDER}" PARENT_SCOPE)
  compeer_torch_comes_along(ours)
  if(ours)
    install(DIRECTORY "${CompeerTorch_FOLDER}/" DESTINATION lib/compeer/libtorch COMPONENT programs
      PATTERN torch/include EXCLUDE)
    install(DIRECTORY "${CompeerTorch_FOLDER}/torch/include" DESTINATION lib/compeer/libtorch/torch COMPONENT sdk)
    set(${result} "<prefix>/lib/compeer/libtorch" PARENT_SCOPE)
  endif()
endfunction()

function(compeer_install_programs torch)
  get_filename_component(libraries "${CompeerTorch_LIBRARY}" DIRECTORY)
  string(REPLACE "${CompeerTorch_FOLDER}" "${torch}" libraries "${libraries}")
  string(REPLACE "<prefix>" "$ORIGIN/.." of_programs "${libraries}")
  string(REPLACE "<prefix>" "$ORIGIN/../../../.." of_plugins "${libraries}")
  compeer_library_folders(others ${MPI_C_LIBRARIES} ${HDF5_C_LIBRARIES})
  set_target_properties(compeer PROPERTIES INSTALL_RPATH "${others}")
  set_target_properties(compeer-worker compeer-tools PROPERTIES INSTALL_RPATH "${of_programs};${others}")
  get_property(plugins GLOBAL PROPERTY compeer_plugins)
  set_target_properties(${plugins} PROPERTIES INSTALL_RPATH "${of_plugins}")
  get_target_property(built compeer-programs MANUALLY_ADDED_DEPENDENCIES)
  foreach(target compeer compeer-worker compeer-tools ${plugins})
    if(NOT target IN_LIST built)
      message(FATAL_ERROR "${target} is installed, but compeer-programs doesn't build it")
    endif()
  endforeach()
  install(TARGETS compeer EXPORT compeerTargets RUNTIME DESTINATION bin COMPONENT programs)
  install(TARGETS compeer-worker compeer-tools RUNTIME DESTINATION bin COMPONENT programs)
endfunction()

# The folders of these libraries, links followed, that the loader does not search by itself.
function(compeer_library_folders result)
  set(folders "")
  foreach(library IN LISTS ARGN)
    file(REAL_PATH "${library}" library)
    get_filename_component(folder "${library}" DIRECTORY)
    if(IS_ABSOLUTE "${folder}" AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND folders "${folder}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${result} "${folders}" PARENT_SCOPE)
endfunction()

function(compeer_install_files)
  foreach(kind stages rewards chat)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/plugins/${kind}/prompts" DESTINATION lib/compeer/plugins/${kind}
      COMPONENT programs)
  endforeach()
  install(DIRECTORY experiments scripts DESTINATION share/compeer COMPONENT programs)
  install(DIRECTORY plugins/empathy/prompts DESTINATION share/compeer/plugins/empathy COMPONENT programs)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/plugins/datasets/esc_world/tokenizer"
    DESTINATION share/compeer/plugins/datasets/esc_world COMPONENT programs)
  # Only the sources have what these links lead to; their text stays.
  file(READ README.md text)
  string(REGEX REPLACE "\\[([^][]*)\\]\\((cmake/libtorch|runner|CONTRIBUTING)[^)]*\\)" "\\1" text "${text}")
  file(WRITE "${PROJECT_BINARY_DIR}/installed/README.md" "${text}")
  install(FILES "${PROJECT_BINARY_DIR}/installed/README.md" LICENSE DESTINATION share/doc/compeer COMPONENT programs)
  install(DIRECTORY docs DESTINATION share/doc/compeer COMPONENT programs)
  install(FILES cmake/debian-packages.txt DESTINATION share/doc/compeer/cmake COMPONENT programs)
endfunction()

function(compeer_install_sdk torch)
  set(package lib/cmake/compeer)
  string(REPLACE "<prefix>" "\${PACKAGE_PREFIX_DIR}" torch "${torch}")
  install(DIRECTORY runner/sdk/compeer DESTINATION include COMPONENT sdk FILES_MATCHING PATTERN "*.h")
  install(TARGETS compeer_sdk compeer_flags EXPORT compeerTargets)
  install(EXPORT compeerTargets NAMESPACE compeer:: DESTINATION ${package} COMPONENT sdk)
  configure_package_config_file(cmake/compeerConfig.cmake.in "${PROJECT_BINARY_DIR}/compeerConfig.cmake"
    INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/compeerConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/compeerConfig.cmake" "${PROJECT_BINARY_DIR}/compeerConfigVersion.cmake"
    cmake/CompeerPlugin.cmake cmake/FindCompeerTorch.cmake DESTINATION ${package} COMPONENT sdk)
endfunction()
