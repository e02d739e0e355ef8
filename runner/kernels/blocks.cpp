// The halves of a decoder block as autograd nodes with hand-written backward passes, which save memory and passes over
// it compared with one node per operation.
#include "kernels/blocks.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>

#include <array>

#include "kernels/graph.h"
#include "kernels/rows.h"

namespace compeer::kernels {

namespace {

using Gradients = std::vector<at::Tensor>;

const float* data(const at::Tensor& t) { return t.const_data_ptr<float>(); }
float* out(const at::Tensor& t) { return t.mutable_data_ptr<float>(); }
View rows_of(const at::Tensor& t) { return {data(t), t.size(1), 1}; }
// Returns an uninitialized tensor.
at::Tensor room(int64_t rows, int64_t width) { return at::empty({rows, width}, at::kFloat); }

// x W^T [rows, out], without low-rank changes
at::Tensor plain_product(const at::Tensor& x, Weight& weight) {
  const auto y = room(x.size(0), weight.value().size(0));
  multiply(rows_of(x), x.size(0), weight.factor(x.size(0)), nullptr, out(y), y.size(1), Write::replace);
  return y;
}

void scale(const at::Tensor& x, float by) {
  float* each = out(x);
  for (int64_t i = 0; i < x.numel(); ++i) each[i] *= by;
}

// The inner products of a low-rank change [rows, rank]: scale x A^T in the forward pass, scale dy B in the backward
// pass
at::Tensor reduced(const at::Tensor& x, Weight::LowRank& change) {
  const auto y = plain_product(x, change.a);
  scale(y, change.scale);
  return y;
}
at::Tensor reduced_back(const at::Tensor& dy, Weight::LowRank& change) {
  const auto dx = room(dy.size(0), change.b.value().size(1));
  change.b.multiply_back(data(dy), dy.size(0), out(dx), Write::replace);
  scale(dx, change.scale);
  return dx;
}

// y += x W^T
void add_plain_product(const at::Tensor& x, Weight& weight, const at::Tensor& y) {
  multiply(rows_of(x), x.size(0), weight.factor(x.size(0)), nullptr, out(y), y.size(1), Write::add);
}

using Adapters = std::vector<AdapterRows>;

// Adds the low-rank changes of each row's adapter to y.
void add_changes(const at::Tensor& x, const Weight& weight, const Adapters& adapters, const at::Tensor& y) {
  for (const auto& [adapter, first, count] : adapters) {
    if (auto* change = weight.low_rank(adapter))
      add_plain_product(reduced(x.narrow(0, first, count), *change), change->b, y.narrow(0, first, count));
  }
}
// y += x W^T with low-rank changes. The base product is computed for all rows at once.
void add_product(const at::Tensor& x, Weight& weight, const Adapters& adapters, const at::Tensor& y) {
  add_plain_product(x, weight, y);
  add_changes(x, weight, adapters, y);
}

// x W^T + bias for each weight, with low-rank changes. Biases may be undefined.
template <size_t N>
std::array<at::Tensor, N> products(const at::Tensor& x, const Adapters& adapters, Weight* const (&weights)[N],
                                   const at::Tensor* const (&biases)[N] = {}) {
  std::array<at::Tensor, N> all;
  std::array<Factor, N> factors;
  for (size_t i = 0; i < N; ++i) {
    all[i] = room(x.size(0), weights[i]->value().size(0));
    const bool biased = biases[i] && biases[i]->defined();
    factors[i] = {weights[i]->factor(x.size(0)), biased ? data(*biases[i]) : nullptr, out(all[i]), all[i].size(1)};
  }
  multiply(rows_of(x), x.size(0), factors, Write::replace);
  for (size_t i = 0; i < N; ++i) add_changes(x, *weights[i], adapters, all[i]);
  return all;
}

// dx = dy W, or dx += dy W, with the low-rank change of adapter 0
void back(const at::Tensor& dy, Weight& weight, const at::Tensor& dx, Write write) {
  weight.multiply_back(data(dy), dy.size(0), out(dx), write);
  if (auto* change = weight.low_rank()) {
    const auto inner = reduced_back(dy, *change);
    change->a.multiply_back(data(inner), inner.size(0), out(dx), Write::add);
  }
}

// Appends the tensors of a weight to the inputs of an autograd node. GradientList::add adds gradients in this order.
void add_inputs(std::vector<at::Tensor>& inputs, const Weight& weight) {
  const auto* change = weight.low_rank();
  inputs.push_back(weight.value());
  inputs.push_back(change ? change->a.value() : at::Tensor());
  inputs.push_back(change ? change->b.value() : at::Tensor());
}

// The gradients of a node's inputs, in the order of the inputs; added one after another.
class GradientList {
 public:
  GradientList(const BackwardRequest& demand, const std::vector<int64_t>& runs, Gradients first)
      : demand_(demand), runs_(runs), all_(std::move(first)) {}

  // Adds the gradients of a linear layer's parameters: dW += dy^T x, db += the sum of dy's rows, each one chain over
  // the rows of all passes. With V = scale x A^T: dB += dy^T V, and with U = scale dy B: dA += U^T x.
  void add(const Weight& weight, const at::Tensor& dy, const at::Tensor& x) {
    add_matrix(&weight, [&] { return std::pair{dy, x}; });
    auto* change = weight.low_rank();
    add_matrix(change ? &change->a : nullptr, [&] { return std::pair{reduced_back(dy, *change), x}; });
    add_matrix(change ? &change->b : nullptr, [&] { return std::pair{dy, reduced(x, *change)}; });
  }
  void add(const at::Tensor& bias, const at::Tensor& dy) {
    ParameterGradient sum(demand_, all_.size(), bias);
    if (sum.wanted()) add_columns(data(dy), dy.size(0), dy.size(1), sum.data());
    all_.push_back(sum.result());
  }
  Gradients result() { return std::move(all_); }

 private:
  template <class Factors>
  void add_matrix(const Weight* matrix, Factors factors) {
    ParameterGradient sum(demand_, all_.size(), matrix ? matrix->value() : at::Tensor());
    if (sum.wanted()) {
      const auto [left, right] = factors();
      matrix->add_gradient(data(left), data(right), left.size(0), runs_, sum.data());
    }
    all_.push_back(sum.result());
  }

  const BackwardRequest& demand_;
  const std::vector<int64_t>& runs_;
  Gradients all_;
};

// h = rms_norm(x), and 1 / sqrt(...) for the backward pass.
struct Norm {
  at::Tensor inverse, h;
  Norm(const at::Tensor& x, const at::Tensor& weight, double epsilon)
      : inverse(at::empty({x.size(0)}, at::kFloat)), h(room(x.size(0), x.size(1))) {
    rms_norm(data(x), data(weight), x.size(0), x.size(1), static_cast<float>(epsilon), out(h), out(inverse));
  }
};

// Returns dx = dy (through the residual connection) + the gradient through the norm, whose output has the gradient dh.
// `sum` receives the gradient of the norm's weight.
at::Tensor norm_back(const at::Tensor& dy, const at::Tensor& dh, const at::Tensor& x, const at::Tensor& weight,
                     const at::Tensor& inverse, ParameterGradient& sum) {
  const auto dx = room(x.size(0), x.size(1));
  rms_norm_backward(data(dh), data(x), data(weight), data(inverse), x.size(0), x.size(1), data(dy), out(dx),
                    sum.wanted() ? sum.data() : nullptr);
  return dx;
}

// Applies RoPE to x in place. `context` contains the cosines and sines of the rows; direction -1 is the gradient.
template <class At>
void rotate_in_place(const at::Tensor& x, const At& context, int64_t heads, float direction) {
  rotate(data(x), data(context.cosine), data(context.sine), x.size(0), heads, x.size(1) / heads, direction, out(x));
}

// A copy of the parts of an AttentionContext that the backward pass needs.
struct RotaryRows {
  at::Tensor cosine, sine;
  std::vector<Context> contexts;
  std::vector<int64_t> runs;
  Adapters adapters;
  size_t layer;
  std::shared_ptr<SharedPrefix> prefix_out, prefix_in;

  explicit RotaryRows(const AttentionContext& context)
      : cosine(context.cosine),
        sine(context.sine),
        contexts(kernels::contexts(context.segments, context.prefix_in ? context.prefix_in->keys.front().size(0) : 0)),
        runs(context.runs()),
        adapters(context.adapters(context.cosine.size(0))),
        layer(static_cast<size_t>(context.layer)),
        prefix_out(context.prefix_out),
        prefix_in(context.prefix_in) {}
};

// Queries or keys `y` after the head norm (if any) and RoPE. With a norm, also its input `before` and 1 / sqrt(...).
struct RotatedHeads {
  at::Tensor y, before, inverse;
  RotatedHeads() = default;
  template <class At>
  RotatedHeads(const at::Tensor& x, const at::Tensor& norm, const AttentionBlock& block, int64_t heads,
               const At& context)
      : y(x) {
    if (norm.defined()) {
      before = x, inverse = at::empty({x.size(0), heads}, at::kFloat), y = room(x.size(0), x.size(1));
      rms_norm(data(x), data(norm), x.size(0) * heads, block.heads.dim, static_cast<float>(block.epsilon), out(y),
               out(inverse));
    }
    rotate_in_place(y, context, heads, 1.0f);
  }
};

// The backward pass of RotatedHeads: converts d from the gradient of `y` to that of the input. Returns the gradient of
// the norm's weight; undefined without a norm.
at::Tensor rotated_heads_backward(const BackwardRequest& demand, size_t input, at::Tensor& d, const RotatedHeads& kept,
                                  const at::Tensor& norm, const AttentionBlock& block, int64_t heads,
                                  const RotaryRows& context) {
  rotate_in_place(d, context, heads, -1.0f);
  if (!norm.defined()) return {};
  ParameterGradient sum(demand, input, norm);
  const auto dx = room(d.size(0), d.size(1));
  rms_norm_backward(data(d), data(kept.before), data(norm), data(kept.inverse), d.size(0) * heads, block.heads.dim,
                    nullptr, out(dx), sum.wanted() ? sum.data() : nullptr);
  d = dx;
  return sum.result();
}

// The activations that the backward pass of attention needs in addition to x. Keys and values begin with those of the
// prefix that the batch continues, if any.
struct Attended {
  at::Tensor inverse;
  RotatedHeads q, k;
  at::Tensor keys, values, seen, sums;
};

Attended attended(const at::Tensor& x, AttentionBlock& block, const RotaryRows& context, bool graph) {
  const Norm norm(x, block.norm, block.epsilon);
  auto [queries, keys, values] =
      products(norm.h, context.adapters, {&block.q, &block.k, &block.v}, {&block.q_bias, &block.k_bias, &block.v_bias});
  const RotatedHeads q(queries, block.q_norm, block, block.heads.query, context),
      k(keys, block.k_norm, block, block.heads.key, context);
  keys = k.y;
  if (context.prefix_in) {
    keys = at::cat({context.prefix_in->keys[context.layer], keys});
    values = at::cat({context.prefix_in->values[context.layer], values});
  }
  const auto seen = room(x.size(0), block.heads.query_width()),
             sums = graph ? at::empty({x.size(0), block.heads.query, 2}, at::kFloat) : at::Tensor();
  attend_contexts(data(q.y), data(keys), data(values), context.contexts, block.heads, out(seen),
                  graph ? out(sums) : nullptr);
  return {norm.inverse, q, k, keys, values, seen, sums};
}

// Returns the tensor to which gradients of keys or values `of` are added. If other batches continue this one, it starts
// from their gradients (`brought`). If this batch continues a prefix, it starts from the prefix's gradients so far
// (`before`), followed by zeros for its own rows.
at::Tensor initial_gradient(const at::Tensor& of, const at::Tensor& brought, const at::Tensor& before) {
  if (brought.defined()) return brought;
  const auto own = at::zeros({of.size(0) - (before.defined() ? before.size(0) : 0), of.size(1)}, at::kFloat);
  return before.defined() ? at::cat({before, own}) : own;
}

// Returns the gradients of the batch's own rows, after copying those of the prefix's rows back to `before`.
at::Tensor split_gradient(const at::Tensor& all, const at::Tensor& before) {
  if (!before.defined()) return all;
  before.copy_(all.narrow(0, 0, before.size(0)));
  return all.narrow(0, before.size(0), all.size(0) - before.size(0));
}

Gradients attention_back(const BackwardRequest& demand, const at::Tensor& dy, const at::Tensor& x,
                         AttentionBlock& block, const RotaryRows& context, const Attended& kept) {
  const auto dseen = room(x.size(0), block.heads.query_width());
  back(dy, block.o, dseen, Write::replace);
  const auto of = [&](const std::shared_ptr<SharedPrefix>& prefix, auto gradients) {
    return prefix ? ((*prefix).*gradients)[context.layer] : at::Tensor();
  };
  const auto keys = of(context.prefix_in, &SharedPrefix::key_gradients),
             values = of(context.prefix_in, &SharedPrefix::value_gradients);
  auto dq = room(x.size(0), block.heads.query_width());
  auto dk = initial_gradient(kept.keys, of(context.prefix_out, &SharedPrefix::key_gradients), keys),
       dv = initial_gradient(kept.values, of(context.prefix_out, &SharedPrefix::value_gradients), values);
  attend_contexts_backward(data(dseen), data(kept.q.y), data(kept.keys), data(kept.values), data(kept.seen),
                           data(kept.sums), context.contexts, block.heads, out(dq), out(dk), out(dv));
  dk = split_gradient(dk, keys), dv = split_gradient(dv, values);
  const auto dq_norm = rotated_heads_backward(demand, 2, dq, kept.q, block.q_norm, block, block.heads.query, context),
             dk_norm = rotated_heads_backward(demand, 3, dk, kept.k, block.k_norm, block, block.heads.key, context);
  const Norm norm(x, block.norm, block.epsilon);
  const auto dh = room(x.size(0), x.size(1));
  back(dq, block.q, dh, Write::replace);
  back(dk, block.k, dh, Write::add);
  back(dv, block.v, dh, Write::add);
  ParameterGradient dnorm(demand, 1, block.norm);
  const auto dx = norm_back(dy, dh, x, block.norm, kept.inverse, dnorm);
  GradientList all(demand, context.runs, {dx, dnorm.result(), dq_norm, dk_norm});
  all.add(block.q, dq, norm.h);
  all.add(block.k, dk, norm.h);
  all.add(block.v, dv, norm.h);
  all.add(block.o, dy, kept.seen);
  all.add(block.q_bias, dq);
  all.add(block.k_bias, dk);
  all.add(block.v_bias, dv);
  return all.result();
}

std::vector<at::Tensor> inputs_of(const at::Tensor& x, const AttentionBlock& block) {
  std::vector<at::Tensor> inputs{x, block.norm, block.q_norm, block.k_norm};
  for (const Weight* weight : {&block.q, &block.k, &block.v, &block.o}) add_inputs(inputs, *weight);
  for (const at::Tensor& bias : {block.q_bias, block.k_bias, block.v_bias}) inputs.push_back(bias);
  return inputs;
}

// The activations that the backward pass of the feed-forward half needs in addition to x.
struct Gated {
  at::Tensor inverse, gate, up;
};

Gated gated(const at::Tensor& x, FeedForwardBlock& block, const Adapters& adapters) {
  const Norm norm(x, block.norm, block.epsilon);
  const auto [gate, up] = products(norm.h, adapters, {&block.gate, &block.up});
  return {norm.inverse, gate, up};
}

Gradients feed_forward_back(const BackwardRequest& demand, const at::Tensor& dy, const at::Tensor& x,
                            FeedForwardBlock& block, const std::vector<int64_t>& runs, const Gated& kept) {
  const auto& [inverse, gate, up] = kept;
  const int64_t rows = gate.size(0), width = gate.size(1);
  const auto active = room(rows, width), dgate = room(rows, width), dup = room(rows, width);
  back(dy, block.down, active, Write::replace);
  swiglu_backward(data(active), data(gate), data(up), gate.numel(), out(dgate), out(dup), out(active));
  const auto dh = room(x.size(0), x.size(1));
  back(dgate, block.gate, dh, Write::replace);
  back(dup, block.up, dh, Write::add);
  const Norm norm(x, block.norm, block.epsilon);
  ParameterGradient dnorm(demand, 1, block.norm);
  const auto dx = norm_back(dy, dh, x, block.norm, inverse, dnorm);
  GradientList all(demand, runs, {dx, dnorm.result()});
  all.add(block.gate, dgate, norm.h);
  all.add(block.up, dup, norm.h);
  all.add(block.down, dy, active);
  return all.result();
}

// Returns x + o(attention(q)) for rows whose keys and values are in the cache.
at::Tensor attend_to_cache(const at::Tensor& x, const at::Tensor& queries, AttentionBlock& block,
                           const AttentionContext& context) {
  const RotatedHeads q(queries, block.q_norm, block, block.heads.query, context);
  const auto y = x.detach().clone();
  add_product(attention_stored(q.y, context.segments, block.heads, *context.cache, context.layer), block.o,
              context.adapters(x.size(0)), y);
  return y;
}

// Applies norm and RoPE to the keys, and stores keys and values in the cache.
void store_keys_values(const at::Tensor& keys, const at::Tensor& values, AttentionBlock& block,
                       const AttentionContext& context) {
  const RotatedHeads k(keys, block.k_norm, block, block.heads.key, context);
  store(k.y, values, context.segments, block.heads, *context.cache, context.layer);
}

// The attention half with a KV cache, without gradient. The keys and values of all rows are stored; attention is
// computed for all rows, or only for the last row of each segment.
at::Tensor with_cache(const at::Tensor& x, const at::Tensor& h, AttentionBlock& block,
                      const AttentionContext& context) {
  const auto adapters = context.adapters(x.size(0));
  if (!context.last_only) {
    const auto [q, k, v] =
        products(h, adapters, {&block.q, &block.k, &block.v}, {&block.q_bias, &block.k_bias, &block.v_bias});
    store_keys_values(k, v, block, context);
    return attend_to_cache(x, q, block, context);
  }
  const auto [k, v] = products(h, adapters, {&block.k, &block.v}, {&block.k_bias, &block.v_bias});
  store_keys_values(k, v, block, context);
  std::vector<Segment> ends = context.segments;
  for (size_t i = 0; i < ends.size(); ++i) {
    ends[i].position += ends[i].length - 1;
    ends[i].start = static_cast<int64_t>(i);
    ends[i].length = 1;
  }
  const auto rows = last_rows(context.segments);
  const auto of = [&](const at::Tensor& all) { return at::index_select(all, 0, rows); };
  const at::Tensor cosine = of(context.cosine), sine = of(context.sine);
  const AttentionContext last{cosine, sine, ends, context.cache, context.layer};
  const auto [q] = products(of(h), last.adapters(rows.size(0)), {&block.q}, {&block.q_bias});
  return attend_to_cache(of(x), q, block, last);
}

void check_adapters(const Adapters& adapters, bool graph) {
  TORCH_CHECK(!graph || (adapters.size() == 1 && adapters.front().adapter == 0), "only adapter 0 has gradients");
}

// Appends the keys and values of a layer to the prefix that other batches will continue.
void leave(SharedPrefix& prefix, const at::Tensor& k, const at::Tensor& v) {
  prefix.keys.push_back(k), prefix.key_gradients.push_back(at::zeros(k.sizes(), at::kFloat));
  prefix.values.push_back(v), prefix.value_gradients.push_back(at::zeros(v.sizes(), at::kFloat));
}

}  // namespace

at::Tensor attention_block(const at::Tensor& x, AttentionBlock& block, const AttentionContext& context) {
  if (context.cache) return with_cache(x, Norm(x, block.norm, block.epsilon).h, block, context);
  const auto inputs = inputs_of(x, block);
  const bool graph = graph_wanted(inputs), keep = x.size(0) <= block.recompute_above_rows;
  RotaryRows at(context);
  check_adapters(at.adapters, graph);
  auto kept = attended(x, block, at, graph);
  if (context.prefix_out) leave(*context.prefix_out, kept.keys, kept.values);
  const auto y = x.detach().clone();
  add_product(kept.seen, block.o, at.adapters, y);
  if (!graph) return y;
  if (!keep) kept = {};
  connect({y}, inputs,
          [x, at = std::move(at), kept = std::move(kept), keep, &block](const BackwardRequest& demand,
                                                                        const Gradients& dy) {
            return attention_back(demand, dy[0], x, block, at, keep ? kept : attended(x, block, at, true));
          });
  return y;
}

at::Tensor feed_forward_block(const at::Tensor& x, FeedForwardBlock& block, const AttentionContext& context) {
  std::vector<at::Tensor> inputs{x, block.norm};
  for (const Weight* weight : {&block.gate, &block.up, &block.down}) add_inputs(inputs, *weight);
  const bool graph = graph_wanted(inputs), keep = x.size(0) <= block.recompute_above_rows;
  const auto adapters = context.adapters(x.size(0));
  auto kept = gated(x, block, adapters);
  const auto active = graph && keep ? room(x.size(0), kept.gate.size(1)) : kept.gate;
  swiglu(data(kept.gate), data(kept.up), kept.gate.numel(), out(active));
  const auto y = x.detach().clone();
  add_product(active, block.down, adapters, y);
  if (!graph) return y;
  if (!keep) kept = {};
  connect({y}, inputs,
          [x, kept = std::move(kept), keep, runs = context.runs(), adapters, &block](const BackwardRequest& demand,
                                                                                     const Gradients& dy) {
            return feed_forward_back(demand, dy[0], x, block, runs, keep ? kept : gated(x, block, adapters));
          });
  return y;
}

}  // namespace compeer::kernels
