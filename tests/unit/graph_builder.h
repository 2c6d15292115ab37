// A typed graph of float32 ops over seeded weights, for tests of what is done with graphs.
#pragma once

#include <random>
#include <vector>

#include "core/op_def.h"
#include "graph/graph.h"

namespace tsr::test {

class GraphBuilder {
 public:
  Ref<Storage> storage(const Shape& shape) {
    Ref<Storage> s(new Storage(DType::kFloat32, shape.size()));
    Ref<HostBuffer> b(new HostBuffer(s->logical_bytes()));
    std::uniform_real_distribution<float> u(-1, 1);
    for (int64_t i = 0; i < shape.size(); ++i) reinterpret_cast<float*>(b->data())[i] = u(random_);
    s->set_host(std::move(b));
    return s;
  }
  ValueId constant(const Shape& shape) { return g.add_constant({shape, DType::kFloat32}, storage(shape)); }
  ValueId node(const char* name, std::vector<ValueId> in, std::vector<AttrValue> attrs = {}) {
    const OpDef& op = get_op(name);
    std::vector<TensorType> types, out;
    for (ValueId v : in) types.push_back(g.value(v).type);
    const Attrs a = make_attrs(name, *op.attrs, attrs);
    infer_types(op, types, a, out);
    return g.add_typed_op(op, in, a, out);
  }
  Graph g;

 private:
  std::mt19937 random_{3};
};

}  // namespace tsr::test
