#pragma once
/// What makes a shared library a plugin. At the end of its one source file:
///
///   COMPEER_PLUGIN(Reward, rewards, length, Length, R"json(
///     "version": "1.0.0",
///     "summary": "Prefers replies near a target length.",
///     "parameters": {
///       "target": {"type": "integer", "default": 400, "min": 1, "help": "characters"}
///     })json")
///
/// `Length` needs the constructor Length(const Settings&, Host&) and derives from `Reward`. The text becomes the
/// plugin's descriptor: JSON in an ELF section, read before any of the library's code runs. Parameter types:
/// integer, number, boolean, string, path, list (with "items": a type), table, plugin (with "kind": similarity, say; a
/// table of the settings of the plugin it names); with "default" (absent: required; null: may stay unset), "min",
/// "max", "above", "below", "choices", "help", and "parameters" for the keys of a table.
#include <boost/dll/alias.hpp>
#include <memory>
#include <string_view>

#include "compeer/host.h"
#include "compeer/settings.h"

/// The number of each kind's interface. Host and plugin must have the same, so it is raised with every change of a
/// header that the two share: the kind's own, and for all kinds those that come with every plugin (this one, host.h,
/// settings.h and what they speak of).
#define COMPEER_INTERFACE_datasets 9
#define COMPEER_INTERFACE_models 9
#define COMPEER_INTERFACE_rewards 9
#define COMPEER_INTERFACE_reweighting 9
#define COMPEER_INTERFACE_similarity 9
#define COMPEER_INTERFACE_chat 9
#define COMPEER_INTERFACE_stages 9

#ifdef COMPEER_DECLARED_INTERFACE  // tests build plugins that claim another
#define COMPEER_INTERFACE_OF(kind) COMPEER_DECLARED_INTERFACE
#else
#define COMPEER_INTERFACE_OF(kind) COMPEER_INTERFACE_##kind
#endif
#ifndef COMPEER_DECLARED_TORCH
#define COMPEER_DECLARED_TORCH COMPEER_TORCH_VERSION
#endif

#define COMPEER_TEXT_(x) #x
#define COMPEER_TEXT(x) COMPEER_TEXT_(x)

// clang-format off
#define COMPEER_PLUGIN(Interface, kind_, name_, Class, body)                                                          \
  extern "C" {                                                                                                        \
  extern const char compeer_descriptor[];                                                                             \
  [[gnu::used, gnu::retain, gnu::section(".compeer")]] const char compeer_descriptor[] =                              \
      "{\"compeer\":1,\"interface\":" COMPEER_TEXT(COMPEER_INTERFACE_OF(kind_))                                       \
      ",\"kind\":\"" #kind_ "\",\"name\":\"" #name_ "\",\"torch\":\"" COMPEER_DECLARED_TORCH                          \
      "\",\"cxx_abi\":" COMPEER_TEXT(_GLIBCXX_USE_CXX11_ABI) ",\"compiler\":\"" __VERSION__ "\"," body "}";           \
  }                                                                                                                   \
  static_assert(std::string_view(compeer::Interface::kind) == #kind_, "plugins of this interface have another kind"); \
  namespace {                                                                                                         \
  std::unique_ptr<compeer::Interface> compeer_make_plugin(const compeer::Settings& settings, compeer::Host& host) {   \
    return std::make_unique<Class>(settings, host);                                                                   \
  }                                                                                                                   \
  }                                                                                                                   \
  BOOST_DLL_ALIAS(compeer_make_plugin, compeer_make)
// clang-format on
