# Builds a plugin that breaks the plugin interface on purpose, as <folder of the test>/<set>/<kind>/<name>.so. Compile
# definitions come last:
#   broken_plugin(interface rewards plain libraries/plain.cpp COMPEER_DECLARED_INTERFACE=3)
# Unlike with compeer_add_plugin, a missing function is found only at load time, and unloading is not forbidden.
# `broken` lists the targets of a folder.
function(broken_plugin set kind name source)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
  string(MAKE_C_IDENTIFIER "broken_${folder}_${set}_${kind}_${name}" target)
  add_library(${target} MODULE ${source})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${set}/${kind}")
  target_link_libraries(${target} PRIVATE compeer_flags compeer::sdk compeer::base)
  target_link_options(${target} PRIVATE "LINKER:--exclude-libs,ALL")
  target_compile_definitions(${target} PRIVATE ${ARGN})
  set(broken ${broken} ${target} PARENT_SCOPE)
endfunction()

# Sets `result` to the interface number before the current one of `kind`.
function(previous_interface kind result)
  file(STRINGS "${PROJECT_SOURCE_DIR}/runner/sdk/compeer/plugin.h" line REGEX "^#define COMPEER_INTERFACE_${kind} [0-9]")
  string(REGEX MATCH "[0-9]+$" interface "${line}")
  math(EXPR previous "${interface} - 1")
  set(${result} ${previous} PARENT_SCOPE)
endfunction()
