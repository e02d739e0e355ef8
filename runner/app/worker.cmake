# The worker: MPI, no libtorch of its own; what it does comes from the room train.
compeer_room(worker_shell SOURCES worker_main.cpp worker_faults.cpp worker_spec.cpp LINK compeer::comm)
target_compile_definitions(compeer_worker_shell PRIVATE COMPEER_VERSION="${PROJECT_VERSION}")
if(TARGET compeer_train)
  add_executable(compeer-worker worker_main.cpp)
  target_link_libraries(compeer-worker PRIVATE compeer_flags compeer::worker_shell compeer::train)
  set_target_properties(compeer-worker PROPERTIES LINKER_LANGUAGE CXX)
endif()
