# The worker's shell around a task that misbehaves on command.
add_executable(worker_stub worker_stub.cpp "${PROJECT_SOURCE_DIR}/runner/app/worker/worker_main.cpp")
target_link_libraries(worker_stub PRIVATE compeer_flags compeer::worker_shell compeer::model_commands)
foreach(name worker_faults worker_call)
  compeer_test(app/${name} LINK compeer::base nlohmann_json::nlohmann_json)
  target_sources(test_app_${name} PRIVATE job.cpp)
  target_compile_definitions(test_app_${name} PRIVATE
    WORKER_STUB="$<TARGET_FILE:worker_stub>" MPIRUN="${MPIEXEC_EXECUTABLE}")
  add_dependencies(test_app_${name} worker_stub)
  set_tests_properties(app/${name} PROPERTIES PROCESSORS 2)
endforeach()
