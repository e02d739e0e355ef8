#pragma once
#include <ctime>
#include <list>
#include <string>
#include <vector>

#include "language/jinja/syntax.h"

namespace compeer::language::jinja {

/// Variables of a template, by name.
using Variables = std::vector<std::pair<std::string, Value>>;

/// Runs a template once. What it may cost is bounded: steps, bytes made, depth.
class Evaluator {
 public:
  Evaluator(const std::string& where, const Variables& variables, std::time_t now);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Throws Error (exit 4) naming template and line: what the template raises, and what it does wrong.
  Text run(const Block& block);

 private:
  enum class Flow { on, leave, again };
  /// Names that a loop's body or a macro has of its own, and those around it.
  struct Frame {
    Frame* outer;
    std::vector<std::pair<std::string, Value>> names;
  };
  /// Counts how deep statements, expressions and macros stand in one another.
  class Deeper {
   public:
    explicit Deeper(Evaluator& evaluator);
    ~Deeper() { --evaluator_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

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

  void spend(size_t steps);
  Value made(Value value);  ///< counts what was made

  const std::string& where_;
  std::vector<std::pair<std::string, Value>> functions_;
  Frame root_{nullptr, {}};
  std::vector<std::shared_ptr<Namespace>> namespaces_;  // they may hold themselves: emptied in the end
  Text* out_ = nullptr;
  int line_ = 1;  // that is being run
  int depth_ = 0;
  size_t steps_ = 0, bytes_ = 0;
};

}  // namespace compeer::language::jinja
