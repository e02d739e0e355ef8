#include "kernels/functions.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/logprob.h"
#include "kernels/rows.h"

namespace compeer::kernels {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;

const float* data(const at::Tensor& t) { return t.const_data_ptr<float>(); }
float* out(at::Tensor& t) { return t.mutable_data_ptr<float>(); }

// A Weight on its way from forward to backward, as the number that autograd can keep. Weights live in the model, which
// outlives every graph.
int64_t address(Weight& weight) { return reinterpret_cast<int64_t>(&weight); }
Weight& weight_at(int64_t address) { return *reinterpret_cast<Weight*>(address); }
Weight& carried(AutogradContext* context, const char* key) { return weight_at(context->saved_data[key].toInt()); }

void add_row(const float* row, int64_t width, float* sum) {
  for (int64_t i = 0; i < width; ++i) sum[i] += row[i];
}

struct Embedding : Function<Embedding> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& tokens, const at::Tensor& weight) {
    context->save_for_backward({tokens});
    context->saved_data["vocabulary"] = weight.size(0);
    const int64_t width = weight.size(1);
    auto y = at::empty({tokens.size(0), width}, weight.options());
    const int64_t* id = tokens.const_data_ptr<int64_t>();
    for (int64_t r = 0; r < tokens.size(0); ++r) std::copy_n(data(weight) + id[r] * width, width, out(y) + r * width);
    return y;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto tokens = context->get_saved_variables()[0];
    const auto dy = gradients[0].contiguous();
    const int64_t width = dy.size(1);
    auto dw = at::zeros({context->saved_data["vocabulary"].toInt(), width}, dy.options());
    const int64_t* id = tokens.const_data_ptr<int64_t>();
    for (int64_t r = 0; r < tokens.size(0); ++r) add_row(data(dy) + r * width, width, out(dw) + id[r] * width);
    return {at::Tensor(), dw};
  }
};

struct RmsNorm : Function<RmsNorm> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    auto y = at::empty_like(x), inverse = at::empty({x.size(0)}, x.options());
    rms_norm(data(x), data(weight), x.size(0), x.size(1), static_cast<float>(epsilon), out(y), out(inverse));
    context->save_for_backward({x, weight, inverse});
    return y;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto dy = gradients[0].contiguous();
    auto dx = at::empty_like(dy), dw = at::zeros_like(saved[1]);
    rms_norm_backward(data(dy), data(saved[0]), data(saved[1]), data(saved[2]), dy.size(0), dy.size(1), out(dx),
                      out(dw));
    return {dx, dw, at::Tensor()};
  }
};

struct SwiGlu : Function<SwiGlu> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate, const at::Tensor& up) {
    context->save_for_backward({gate, up});
    auto y = at::empty_like(gate);
    swiglu(data(gate), data(up), gate.numel(), out(y));
    return y;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto dy = gradients[0].contiguous();
    auto dgate = at::empty_like(dy), dup = at::empty_like(dy);
    swiglu_backward(data(dy), data(saved[0]), data(saved[1]), dy.numel(), out(dgate), out(dup));
    return {dgate, dup};
  }
};

struct Rotate : Function<Rotate> {
  static at::Tensor turn(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine, int64_t heads,
                         float direction) {
    auto y = at::empty_like(x);
    rotate(data(x), data(cosine), data(sine), x.size(0), heads, x.size(1) / heads, direction, out(y));
    return y;
  }

  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& cosine,
                            const at::Tensor& sine, int64_t heads) {
    context->save_for_backward({cosine, sine});
    context->saved_data["heads"] = heads;
    return turn(x, cosine, sine, heads, 1.0f);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    return {turn(gradients[0].contiguous(), saved[0], saved[1], context->saved_data["heads"].toInt(), -1.0f),
            at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

// Segments as a tensor [segments, 4], which the graph can keep: start, length, position, parent.
at::Tensor table_of(const std::vector<Segment>& segments) {
  auto table = at::empty({static_cast<int64_t>(segments.size()), 4}, at::kLong);
  auto* row = table.mutable_data_ptr<int64_t>();
  for (const Segment& s : segments) {
    for (const int64_t value : {s.start, s.length, s.position, s.parent}) *row++ = value;
  }
  return table;
}

std::vector<Segment> segments_of(const at::Tensor& table) {
  std::vector<Segment> all;
  const auto* row = table.const_data_ptr<int64_t>();
  for (int64_t s = 0; s < table.size(0); ++s, row += 4) all.push_back({row[0], row[1], row[2], row[3], {}});
  return all;
}

struct Attention : Function<Attention> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const at::Tensor& segments, int64_t query, int64_t key, int64_t dim) {
    const Heads heads{query, key, dim};
    auto y = at::empty_like(q), sums = at::empty({q.size(0), query, 2}, q.options());
    for (const Context& c : contexts(segments_of(segments)))
      attend_context(data(q), data(k), data(v), c, heads, out(y), out(sums));
    context->saved_data["heads"] = std::vector<int64_t>{query, key, dim};
    context->save_for_backward({q, k, v, y, sums, segments});
    return y;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto sizes = context->saved_data["heads"].toIntVector();
    const Heads heads{sizes[0], sizes[1], sizes[2]};
    const auto dy = gradients[0].contiguous();
    auto dq = at::empty_like(saved[0]), dk = at::zeros_like(saved[1]), dv = at::zeros_like(saved[2]);
    for (const Context& c : contexts(segments_of(saved[5]))) {
      attend_context_backward(data(dy), data(saved[0]), data(saved[1]), data(saved[2]), data(saved[3]), data(saved[4]),
                              c, heads, out(dq), out(dk), out(dv));
    }
    return {dq, dk, dv, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

struct Logprobs : Function<Logprobs> {
  static tensor_list forward(AutogradContext* context, const at::Tensor& hidden, const at::Tensor& matrix,
                             const at::Tensor& target, int64_t head_address, double temperature) {
    Weight& head = weight_at(head_address);
    const int64_t rows = hidden.size(0);
    auto log_prob = at::empty({rows}, hidden.options()), entropy = at::empty({rows}, hidden.options());
    auto log_sum = at::empty({rows}, hidden.options().dtype(at::kDouble));
    token_logprobs(data(hidden), rows, head.packed(), target.const_data_ptr<int64_t>(),
                   static_cast<float>(1.0 / temperature), out(log_prob), out(entropy),
                   log_sum.mutable_data_ptr<double>());
    context->saved_data["head"] = head_address;
    context->saved_data["temperature"] = temperature;
    context->save_for_backward({hidden, matrix, target, log_sum, entropy});
    return {log_prob, entropy};
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto hidden = saved[0], matrix = saved[1];
    auto dhidden = at::empty_like(hidden), dhead = at::zeros_like(matrix);
    const auto dlog_prob =
        gradients[0].defined() ? gradients[0].contiguous() : at::zeros({hidden.size(0)}, hidden.options());
    const auto dentropy = gradients[1].defined() ? gradients[1].contiguous() : at::Tensor();
    token_logprobs_backward(data(hidden), hidden.size(0), carried(context, "head").packed(), data(matrix),
                            saved[2].const_data_ptr<int64_t>(),
                            static_cast<float>(1.0 / context->saved_data["temperature"].toDouble()),
                            saved[3].const_data_ptr<double>(), data(saved[4]), data(dlog_prob),
                            dentropy.defined() ? data(dentropy) : nullptr, out(dhidden), out(dhead));
    return {dhidden, dhead, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight) { return Embedding::apply(tokens, weight); }

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return RmsNorm::apply(x, weight, epsilon);
}

at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) { return SwiGlu::apply(gate, up); }

at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine, int64_t heads) {
  return Rotate::apply(x, cosine, sine, heads);
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const std::vector<Segment>& segments, Heads heads) {
  return Attention::apply(q, k, v, table_of(segments), heads.query, heads.key, heads.dim);
}

at::Tensor attention_spans(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const std::vector<Span>& spans, Heads heads) {
  auto y = at::empty_like(q);
  for (const Span& span : spans) attend_span(data(q), data(k), data(v), span, heads, out(y));
  return y;
}

TokenLogprobs token_logprobs(const at::Tensor& hidden, Weight& head, const at::Tensor& target, double temperature) {
  auto results = Logprobs::apply(hidden, head.value(), target, address(head), temperature);
  return {results[0], results[1]};
}

}  // namespace compeer::kernels
