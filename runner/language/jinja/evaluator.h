#pragma once
#include <ctime>
#include <list>
#include <string>
#include <vector>

#include "language/jinja/syntax.h"

namespace compeer::language::jinja {

/// Variables of a template, by name.
using Variables = std::vector<std::pair<std::string, Value>>;

/// Runs a template once, within limits on steps, bytes of text and nesting depth.
class Evaluator {
 public:
  /// `where`: name of the template in errors; must outlive the object. `now`: the time for strftime_now().
  Evaluator(const std::string& where, const Variables& variables, std::time_t now);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Returns the output. Throws Error (exit 4), naming template and line, if the template raises an exception, fails or
  /// exceeds a limit.
  Text run(const Block& block);

 private:
  enum class Flow { on, leave, again };  ///< next statement, break, continue
  /// A scope: the variables of a loop body, block or macro, and the enclosing scope.
  struct Frame {
    Frame* outer;
    std::vector<std::pair<std::string, Value>> names;
  };
  /// Counts the nesting depth of statements, expressions and macro calls while it lives. Throws TemplateError beyond
  /// the limit.
  class DepthGuard {
   public:
    explicit DepthGuard(Evaluator& evaluator);
    ~DepthGuard() { --evaluator_.depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

   private:
    Evaluator& evaluator_;
  };

  Flow run_block(const Block& block, Frame& frame);
  Flow run(const Statement& statement, Frame& frame);
  Flow run_if(const Statement& statement, Frame& frame);
  void run_for(const Statement& statement, Frame& frame);
  void set(const std::vector<std::string>& names, const Value& value, Frame& frame);
  void set_member(const Statement& statement, Frame& frame);
  void define_macro(const Statement& statement, Frame& frame);
  Value call_macro(const Statement& statement, Frame& frame, const Arguments& arguments);
  Text captured(const Block& block, Frame& frame);

  Value evaluate(const Expression& expression, Frame& frame);
  Value compute(const Expression& expression, Frame& frame);
  Value look_up(const std::string& name, const Frame& frame) const;
  Value compared(const Expression& expression, Frame& frame);
  Value called(const Expression& expression, Frame& frame);
  std::vector<Value> values(const Expression& expression, size_t first, Frame& frame);
  Arguments arguments(const Expression& expression, Frame& frame);
  void add_functions(std::time_t now);

  void spend(size_t steps);  ///< counts steps; throws TemplateError beyond the limit
  Value made(Value value);   ///< counts the size of a new value against the limits and returns it

  const std::string& where_;
  std::vector<std::pair<std::string, Value>> functions_;
  Frame root_{nullptr, {}};
  std::vector<std::shared_ptr<Namespace>> namespaces_;  // may contain cycles: the destructor clears them
  Text* out_ = nullptr;                                 // current output
  int line_ = 1;                                        // line being run, for errors
  int depth_ = 0;
  size_t steps_ = 0, bytes_ = 0;
};

}  // namespace compeer::language::jinja
