# compeer run and resume: folders, processes and progress of runs.
target_sources(compeer_front PRIVATE ending.cpp interrupts.cpp launch.cpp process.cpp progress.cpp run_folder.cpp
  script_actions.cpp worker_command.cpp)
target_link_libraries(compeer_front PUBLIC compeer::script compeer::record compeer::report)
