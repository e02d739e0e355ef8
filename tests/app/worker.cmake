# The worker's shell around a task that misbehaves on command.
add_executable(worker_stub "${PROJECT_SOURCE_DIR}/tests/app/worker_stub.cpp")
target_link_libraries(worker_stub PRIVATE compeer_flags compeer::worker_shell)
foreach(name worker_faults worker_call)
  compeer_test(app/${name} LINK compeer::base nlohmann_json::nlohmann_json)
  target_sources(test_app_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/app/job.cpp")
  target_include_directories(test_app_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/app")
  target_compile_definitions(test_app_${name} PRIVATE
    WORKER_STUB="$<TARGET_FILE:worker_stub>" MPIRUN="${MPIEXEC_EXECUTABLE}")
  add_dependencies(test_app_${name} worker_stub)
  set_tests_properties(app/${name} PROPERTIES PROCESSORS 2)
endforeach()
