#pragma once
#include <ctime>
#include <list>
#include <string>
#include <vector>

#include "language/jinja/syntax.h"

namespace compeer::language::jinja {

/// Variables of a template, by name.
using Variables = std::vector<std::pair<std::string, Value>>;

/// Runs a parsed template once and returns its output. A tree-walking interpreter with Python's semantics, with limits
/// on steps (statements, expressions and loop items), bytes of text and nesting depth.
class Evaluator {
 public:
  /// `where`: name of the template in errors; must outlive the object. `now`: the time for strftime_now().
  Evaluator(const std::string& where, const Variables& variables, std::time_t now);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Runs the template's statements and returns their output. Throws Error (exit code 4: invalid data), naming template
  /// and line, if the template raises an exception, fails or exceeds a limit.
  Text run(const Block& block);

 private:
  /// Result of a statement: run the next statement (on), leave the loop (break), or start its next pass (continue).
  enum class Flow { on, leave, again };
  /// A scope: the variables of a loop body, block or macro, and the enclosing scope.
  struct Frame {
    Frame* outer;                                      ///< the enclosing scope; null for the root
    std::vector<std::pair<std::string, Value>> names;  ///< variables with their values
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

  // Statements; `frame` is the current scope.
  Flow run_block(const Block& block, Frame& frame);
  Flow run(const Statement& statement, Frame& frame);
  Flow run_if(const Statement& statement, Frame& frame);
  void run_for(const Statement& statement, Frame& frame);
  // Assigns to variables of `frame`; unpacks `value` if there are several names.
  void set(const std::vector<std::string>& names, const Value& value, Frame& frame);
  void set_member(const Statement& statement, Frame& frame);
  void define_macro(const Statement& statement, Frame& frame);
  // Runs the macro that `statement` defines, in a new scope inside `frame` (the root), and returns its output.
  Value call_macro(const Statement& statement, Frame& frame, const Arguments& arguments);
  // Runs a block and returns its output instead of appending it to `out_`.
  Text captured(const Block& block, Frame& frame);

  // Expressions. `evaluate` counts a step, checks the depth and calls `compute`, which returns the value of any kind of
  // expression; the functions below it are for the kinds `compare` and `call`.
  Value evaluate(const Expression& expression, Frame& frame);
  Value compute(const Expression& expression, Frame& frame);
  Value compared(const Expression& expression, Frame& frame);
  Value called(const Expression& expression, Frame& frame);
  // Returns the value of a variable in this scope or an enclosing one, or of a global function; otherwise Undefined.
  Value look_up(const std::string& name, const Frame& frame) const;
  // Returns the values of the expression's parts, from index `first` on.
  std::vector<Value> values(const Expression& expression, size_t first, Frame& frame);
  Arguments arguments(const Expression& expression, Frame& frame);
  // Defines the global functions, such as range() and namespace().
  void add_functions(std::time_t now);

  void spend(size_t steps);  // counts steps; throws TemplateError beyond the limit
  Value made(Value value);   // counts the size of a new value against the limits and returns it

  const std::string& where_;
  std::vector<std::pair<std::string, Value>> functions_;  // the template's variables, then the global functions
  Frame root_{nullptr, {}};                               // scope of assignments outside of loops and macros
  std::vector<std::shared_ptr<Namespace>> namespaces_;    // may contain cycles: the destructor clears them
  Text* out_ = nullptr;                                   // the output to append to
  int line_ = 1;                                          // line of the current statement, for errors
  int depth_ = 0;                                         // number of DepthGuards that are alive
  size_t steps_ = 0, bytes_ = 0;                          // steps and bytes of text so far
};

}  // namespace compeer::language::jinja
