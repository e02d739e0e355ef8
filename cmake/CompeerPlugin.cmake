# How a plugin is built: in this tree, and in any project that says find_package(compeer).
#   compeer_add_plugin(rewards length length.cpp [more.cpp] [TORCH] [LINK ...] [CHECK_WITH key=value ...])
# Models are built with libtorch, plugins of other kinds only with TORCH.

# The list of library folders in what is built ends in a separator, which CMake writes so that `cmake --install` can put
# another list in its place. An empty folder is the current one: whoever starts the program in a stranger's folder would
# load his libraries. With this separator it is the folder `/`, and those between others read `//usr/lib`.
foreach(_kind EXECUTABLE SHARED_LIBRARY)
  set(CMAKE_${_kind}_RUNTIME_CXX_FLAG_SEP ":/")
endforeach()

# The shared library <build>/plugins/<kind>/<name>.so. Never unloaded, nothing exported but its factory.
# `cmake --install` puts it into COMPEER_PLUGIN_FOLDER/<kind>.
function(compeer_add_plugin kind name)
  cmake_parse_arguments(plugin "TORCH" "" "LINK;CHECK_WITH" ${ARGN})
  set(target plugin_${kind}_${name})
  add_library(${target} MODULE ${plugin_UNPARSED_ARGUMENTS})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/plugins/${kind}"
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    # Its own folder stands first in the list, for CMake fills an empty one up with separators (above).
    BUILD_RPATH "$ORIGIN")
  if(kind STREQUAL "models" OR plugin_TORCH)
    if(NOT TARGET compeer::torch)
      message(FATAL_ERROR "${kind}/${name} needs the libtorch that compeer was built with: "
        "set the environment variable COMPEER_TORCH_ROOT to its folder")
    endif()
    list(PREPEND plugin_LINK compeer::torch)
  endif()
  target_link_libraries(${target} PRIVATE compeer::flags compeer::sdk ${plugin_LINK})
  target_link_options(${target} PRIVATE "LINKER:-z,nodelete" "LINKER:--exclude-libs,ALL")
  if(NOT COMPEER_FUZZ)  # there clang's sanitizers are in the program alone
    target_link_options(${target} PRIVATE "LINKER:--no-undefined")
  endif()
  set_property(GLOBAL APPEND PROPERTY compeer_plugins ${target})
  install(TARGETS ${target} LIBRARY DESTINATION "${COMPEER_PLUGIN_FOLDER}/${kind}" COMPONENT programs)
  if(COMPEER_CHECKS_PLUGINS)
    compeer_check_plugin(${target} ${plugin_CHECK_WITH})
  endif()
endfunction()

# The test plugin_<kind>_<name>: what the installed `compeer` finds wrong with the library. Further arguments are
# settings it needs to be made.
function(compeer_check_plugin target)
  list(TRANSFORM ARGN PREPEND "--set=" OUTPUT_VARIABLE settings)
  add_test(NAME ${target} COMMAND compeer::compeer plugins check "$<TARGET_FILE:${target}>" ${settings})
endfunction()
