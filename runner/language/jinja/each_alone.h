#pragma once
#include "language/jinja/syntax.h"

namespace compeer::language::jinja {

/// Whether it shows from the template that it writes of several messages what it writes of each alone, one behind the
/// other: it begins with a loop over `messages` that looks at nothing else, and what follows does not look at them.
bool each_alone(const Block& block);

}  // namespace compeer::language::jinja
