// What the sanitizers do unless ASAN_OPTIONS and UBSAN_OPTIONS say otherwise; part of every program of a build with
// COMPEER_SANITIZE.

// Open MPI keeps memory to the end. A room may be in the worker and in a plugin, so a name may be there twice.
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options() {
  return "detect_leaks=0:detect_odr_violation=1";
}

extern "C" [[gnu::visibility("default")]] const char* __ubsan_default_options() {
  return "print_stacktrace=1:halt_on_error=1";
}
