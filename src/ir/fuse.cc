// Computing an input in place: the producer's body at the index that the consumer loads.
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "ir/kernel.h"

namespace tsr::ir {

Kernel fuse(const Kernel& consumer, int j, const Kernel& producer, const Shape& producer_out) {
  check(j >= 0 && static_cast<size_t>(j) < consumer.inputs.size(), "fuse: ", consumer.name, " has no input ", j);
  const KernelInput& joint = consumer.inputs[static_cast<size_t>(j)];
  check(joint.rank == producer.out_rank && joint.dtype == producer.out_dtype, "fuse: input ", j, " of ", consumer.name,
        " is ", tsr::name_of(joint.dtype), " of rank ", joint.rank, ", but ", producer.name, " makes ",
        tsr::name_of(producer.out_dtype), " of rank ", producer.out_rank);
  check(producer_out.rank() == producer.out_rank, "fuse: the shape of ", producer.name, "'s output has the wrong rank");

  Kernel k;
  k.name = producer.name + "+" + consumer.name;
  k.out_rank = consumer.out_rank;
  k.out_dtype = consumer.out_dtype;
  k.inputs = consumer.inputs;
  k.inputs.erase(k.inputs.begin() + j);
  k.inputs.insert(k.inputs.end(), producer.inputs.begin(), producer.inputs.end());
  k.params = consumer.params;
  k.params.insert(k.params.end(), producer.params.begin(), producer.params.end());

  const int input_shift = static_cast<int>(consumer.inputs.size()) - 1;
  const int param_shift = static_cast<int>(consumer.params.size());
  std::map<int, Expr> extent_params;
  const auto extent = [&](int d) {  // an extent of the tensor that no longer exists
    auto it = extent_params.find(d);
    if (it == extent_params.end()) {
      k.params.push_back(ParamValue::i32(producer_out[d]));
      it = extent_params.emplace(d, param(static_cast<int>(k.params.size()) - 1, Type::i32)).first;
    }
    return it->second;
  };
  const auto produced_at = [&](std::span<const Expr> index) {
    return rewrite(producer.body, [&](const Node& n, std::span<const Expr> args) -> Expr {
      switch (n.op()) {
        case Op::kAxis:
          return index[static_cast<size_t>(n.a())];
        case Op::kOutDim:
          return extent(n.a());
        case Op::kDim:
          return dim(n.a() + input_shift, n.b());
        case Op::kParam:
          return param(n.a() + param_shift, n.type());
        default:
          return load(n.a() + input_shift, n.type(), args);
      }
    });
  };
  k.body = rewrite(consumer.body, [&](const Node& n, std::span<const Expr> args) -> Expr {
    switch (n.op()) {
      case Op::kDim:
        return n.a() == j ? extent(n.b()) : dim(n.a() - (n.a() > j), n.b());
      case Op::kLoad:
        return n.a() == j ? produced_at(args) : load(n.a() - (n.a() > j), n.type(), args);
      default:
        return {};
    }
  });
  verify(k);
  return k;
}

Kernel merge_inputs(const Kernel& kernel, int to, int from) {
  check(to >= 0 && to < from && static_cast<size_t>(from) < kernel.inputs.size() &&
            kernel.inputs[static_cast<size_t>(to)] == kernel.inputs[static_cast<size_t>(from)],
        "merge_inputs: inputs ", to, " and ", from, " of ", kernel.name, " differ");
  Kernel k = kernel;
  k.inputs.erase(k.inputs.begin() + from);
  const auto renamed = [&](int i) { return i == from ? to : i - (i > from); };
  k.body = rewrite(kernel.body, [&](const Node& n, std::span<const Expr> args) -> Expr {
    switch (n.op()) {
      case Op::kDim:
        return dim(renamed(n.a()), n.b());
      case Op::kLoad:
        return load(renamed(n.a()), n.type(), args);
      default:
        return {};
    }
  });
  return k;
}

}  // namespace tsr::ir
