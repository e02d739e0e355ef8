#pragma once
#include <string>

#include "base/error.h"

namespace compeer {

/// An error that came up within something larger, with that in front: "line 7: cat.png: can't be read".
inline Error within(const std::string& where, const Error& error) {
  const auto what = error.where().empty() ? error.problem() : error.where() + ": " + error.problem();
  return {where, what, error.help(), error.exit()};
}

}  // namespace compeer
