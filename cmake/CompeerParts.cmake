# The three kinds of part, one line each:
#   compeer_room(grpo SOURCES advantage.cpp loss.cpp LINK compeer::torch)
#   compeer_add_plugin(rewards length length.cpp [more.cpp] [LINK ...])      CompeerPlugin.cmake
#   compeer_test(grpo/advantage [RANKS 2] [LINK ...])

include(CompeerPlugin)
set(COMPEER_PLUGIN_FOLDER lib/compeer/plugins)   # of what is installed

# Compiles in three quarters of the time.
set(COMPEER_QUICK $<$<CONFIG:Release>:-O1>)

# A room of runner/: the static library compeer::<name>. QUICK: its own running time
# does not matter.
function(compeer_room name)
  cmake_parse_arguments(room "QUICK" "" "SOURCES;LINK" ${ARGN})
  add_library(compeer_${name} STATIC ${room_SOURCES})
  add_library(compeer::${name} ALIAS compeer_${name})
  target_include_directories(compeer_${name} PUBLIC "${PROJECT_SOURCE_DIR}/runner")
  target_link_libraries(compeer_${name} PRIVATE compeer_flags PUBLIC ${room_LINK})
  if(room_QUICK)
    target_compile_options(compeer_${name} PRIVATE ${COMPEER_QUICK})
  endif()
endfunction()

# A test: tests/<path>_test.cpp, run as is or over RANKS ranks.
function(compeer_test path)
  cmake_parse_arguments(test "" "RANKS" "LINK" ${ARGN})
  string(REPLACE "/" "_" target "test_${path}")
  add_executable(${target} "${PROJECT_SOURCE_DIR}/tests/${path}_test.cpp")
  target_link_libraries(${target} PRIVATE compeer_flags GTest::gtest ${test_LINK})
  target_include_directories(${target} PRIVATE "${PROJECT_BINARY_DIR}/tests")   # places.h
  target_compile_options(${target} PRIVATE ${COMPEER_QUICK})
  if(test_RANKS)
    add_test(NAME ${path}
      COMMAND ${MPIEXEC_EXECUTABLE} -n ${test_RANKS} --oversubscribe --bind-to none $<TARGET_FILE:${target}>)
    set_tests_properties(${path} PROPERTIES PROCESSORS 2)
  else()
    target_link_libraries(${target} PRIVATE GTest::gtest_main)
    add_test(NAME ${path} COMMAND ${target})
  endif()
  set_tests_properties(${path} PROPERTIES TIMEOUT 240 ENVIRONMENT "${COMPEER_TEST_ENVIRONMENT}")
endfunction()

