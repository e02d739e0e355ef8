// A library with a descriptor but no factory function.
#include "compeer/plugin.h"

extern "C" {
extern const char compeer_descriptor[];
[[gnu::used, gnu::retain, gnu::section(".compeer")]] const char compeer_descriptor[] =
    R"({"compeer":1,"interface":)" COMPEER_TEXT(
        COMPEER_INTERFACE_rewards) R"(,"host":1,"kind":"rewards","name":"empty","torch":"","cxx_abi":1,"compiler":"","version":"1.0.0","summary":"Empty.","parameters":{}})";
}
