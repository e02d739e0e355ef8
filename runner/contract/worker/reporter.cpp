#include "contract/worker/reporter.h"

#include <unistd.h>

#include <cerrno>

#include "contract/worker/watch.h"

namespace compeer::contract {

using nlohmann::json;

void Reporter::calls(const std::string& method, const std::string& input) {
  next_call(check_, method, input);
  write({{"calls", {{"check", check_}, {"method", method}, {"input", input}}}});
}

void Reporter::ends(bool made) { write({{"ends", {{"made", made}}}}); }
void Reporter::gives_up(const std::string& why) { write({{"gives_up", why}}); }

void Reporter::say(CheckVerdict verdict, const std::string& what) {
  write({{"finding", Remark{check_, verdict, what, {}}}});
}

void Reporter::write(const json& line) {
  end_if_copy();
  const auto text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody listens: the front end has gone, or the plugin has closed the file
    done += static_cast<size_t>(n);
  }
}

}  // namespace compeer::contract
