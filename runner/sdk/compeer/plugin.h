#pragma once
/// Turns a shared library into a plugin. At the end of its one source file:
///
///   COMPEER_PLUGIN(Reward, rewards, length, Length, R"json(
///     "version": "1.0.0",
///     "summary": "Prefers replies near a target length.",
///     "parameters": {
///       "target": {"type": "integer", "default": 400, "min": 1, "help": "characters"}
///     })json")
///
/// `Length` derives from `Reward` and has one of the constructors Length(const Settings&, Host&), Length(const
/// Settings&), Length(). The text becomes the plugin's descriptor: JSON in an ELF section, which is read before any
/// code of the library runs.
///
/// Parameter types: integer, number, boolean, string, path, list (with "items": a type), table, plugin (a table with
/// the settings of another plugin, of the kind given by "kind"). Further keys: "default" (absent: required; null:
/// optional), "min", "max", "above", "below", "choices", "help", and "parameters" for the keys of a table.
#include <boost/dll/alias.hpp>
#include <memory>
#include <string_view>
#include <type_traits>

#include "compeer/host.h"
#include "compeer/settings.h"

/// Interface version of each kind. Program and plugin must have the same. Raise a kind's number if its header, or a
/// header that it includes, changes. Raise all of them if settings.h, this file's descriptor, or existing functions of
/// host.h change, including the classes they return (Chat, Similarity, LanguageModel).
#define COMPEER_INTERFACE_datasets 14
#define COMPEER_INTERFACE_models 19
#define COMPEER_INTERFACE_rewards 17
#define COMPEER_INTERFACE_reweighting 15
#define COMPEER_INTERFACE_similarity 14
#define COMPEER_INTERFACE_chat 14
#define COMPEER_INTERFACE_stages 16

/// Version of the host's interface. Raise only this one if a function is added at the end of Host. The program's must
/// be at least the plugin's.
#define COMPEER_INTERFACE_host 1

// Versions that the descriptor declares: interface of a kind, host interface, libtorch ("": built without it,
// compatible with any version). Tests define these macros to build plugins that declare other versions.
#ifdef COMPEER_DECLARED_INTERFACE
#define COMPEER_INTERFACE_OF(kind) COMPEER_DECLARED_INTERFACE
#else
#define COMPEER_INTERFACE_OF(kind) COMPEER_INTERFACE_##kind
#endif
#ifndef COMPEER_DECLARED_HOST
#define COMPEER_DECLARED_HOST COMPEER_INTERFACE_host
#endif
#ifndef COMPEER_DECLARED_TORCH
#ifdef COMPEER_TORCH_VERSION
#define COMPEER_DECLARED_TORCH COMPEER_TORCH_VERSION
#else
#define COMPEER_DECLARED_TORCH ""
#endif
#endif

namespace compeer {

/// Creates the object of the class `Plugin`, which implements `Interface`, with the first of these constructors that it
/// has: (const Settings&, Host&), (const Settings&), (). Called by the factory function of COMPEER_PLUGIN.
template <class Interface, class Plugin>
std::unique_ptr<Interface> make_plugin([[maybe_unused]] const Settings& settings, [[maybe_unused]] Host& host) {
  static_assert(std::is_base_of_v<Interface, Plugin>, "the plugin's class derives from the interface of its kind");
  if constexpr (std::is_constructible_v<Plugin, const Settings&, Host&>) {
    return std::make_unique<Plugin>(settings, host);
  } else if constexpr (std::is_constructible_v<Plugin, const Settings&>) {
    return std::make_unique<Plugin>(settings);
  } else {
    static_assert(std::is_default_constructible_v<Plugin>,
                  "a plugin's constructor must take (const Settings&, Host&), (const Settings&) or nothing");
    return std::make_unique<Plugin>();
  }
}

}  // namespace compeer

// The macro's argument, expanded, as a string literal.
#define COMPEER_TEXT_(x) #x
#define COMPEER_TEXT(x) COMPEER_TEXT_(x)

// Defines the plugin's descriptor, in the ELF section .compeer, and its factory, the exported symbol `compeer_make`.
// Interface: interface of the kind, such as Reward. kind_, name_: kind and name of the plugin, without quotes. Class:
// the plugin's class. body: the descriptor's remaining JSON keys.
// clang-format off
#define COMPEER_PLUGIN(Interface, kind_, name_, Class, body)                                                          \
  extern "C" {                                                                                                        \
  extern const char compeer_descriptor[];                                                                             \
  [[gnu::used, gnu::retain, gnu::section(".compeer")]] const char compeer_descriptor[] =                              \
      "{\"compeer\":1,\"interface\":" COMPEER_TEXT(COMPEER_INTERFACE_OF(kind_))                                       \
      ",\"host\":" COMPEER_TEXT(COMPEER_DECLARED_HOST)                                                                \
      ",\"kind\":\"" #kind_ "\",\"name\":\"" #name_ "\",\"torch\":\"" COMPEER_DECLARED_TORCH                          \
      "\",\"cxx_abi\":" COMPEER_TEXT(_GLIBCXX_USE_CXX11_ABI) ",\"compiler\":\"" __VERSION__ "\"," body "}";           \
  }                                                                                                                   \
  static_assert(std::string_view(compeer::Interface::kind) == #kind_, "plugins of this interface have another kind"); \
  namespace {                                                                                                         \
  std::unique_ptr<compeer::Interface> compeer_make_plugin(const compeer::Settings& settings, compeer::Host& host) {   \
    return compeer::make_plugin<compeer::Interface, Class>(settings, host);                                           \
  }                                                                                                                   \
  }                                                                                                                   \
  BOOST_DLL_ALIAS(compeer_make_plugin, compeer_make)
// clang-format on
