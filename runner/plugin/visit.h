#pragma once
#include <mutex>
#include <utility>

namespace compeer::plugin {

/// A thread's visit to a plugin that several threads call, one at a time. A visitor who waits for a chat model leaves
/// meanwhile, so that others can go in.
class Visit {
 public:
  explicit Visit(std::mutex& door) : lock_(door), outer_(std::exchange(current, this)) {}
  ~Visit() { current = outer_; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  /// f(), with this thread outside, if it is on a visit.
  template <class F>
  static void leave_during(F&& f) {
    if (!current) return f();
    const Absence absence(std::exchange(current, nullptr));
    f();
  }

 private:
  struct Absence {
    explicit Absence(Visit* from) : visit(from) { from->lock_.unlock(); }
    ~Absence() {
      visit->lock_.lock();
      current = visit;
    }
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;
    Visit* visit;
  };

  inline static thread_local Visit* current = nullptr;
  std::unique_lock<std::mutex> lock_;
  Visit* outer_;
};

}  // namespace compeer::plugin
