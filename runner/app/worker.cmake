# The worker: one rank of a run. Its shell is a library of its own, so that tests can put another task into it.
compeer_room(worker_shell SOURCES worker_call.cpp worker_faults.cpp worker_spec.cpp LINK compeer::comm)
target_compile_definitions(compeer_worker_shell PRIVATE COMPEER_VERSION="${PROJECT_VERSION}")
if(TARGET compeer_train)
  add_executable(compeer-worker worker_main.cpp)
  target_link_libraries(compeer-worker PRIVATE compeer_flags compeer::worker_shell compeer::train)
endif()
