// What the sanitizers do unless ASAN_OPTIONS, UBSAN_OPTIONS and TSAN_OPTIONS say otherwise; part of every program of a
// build with COMPEER_SANITIZE.

// Open MPI keeps memory to the end. A room may be in the worker and in a plugin, so a name may be there twice.
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options() {
  return "detect_leaks=0:detect_odr_violation=1";
}

extern "C" [[gnu::visibility("default")]] const char* __ubsan_default_options() {
  return "print_stacktrace=1:halt_on_error=1";
}

// What ThreadSanitizer passes over, each with its reason.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_suppressions() {
  return
      // Open MPI's transport over TCP, within MPI_Init: mca_btl_tcp_add_procs and mca_btl_tcp_proc_remove take the same
      // two locks in opposite orders, both on the main thread.
      "deadlock:mca_btl_tcp.so\n";
}
