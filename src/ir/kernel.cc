#include "ir/kernel.h"

#include <bit>
#include <map>

#include "base/error.h"

namespace tsr::ir {

Type type_of(DType t) {
  switch (t) {
    case DType::kInt32:
      return Type::i32;
    case DType::kBool:
      return Type::b1;
    case DType::kComplex64:
    case DType::kString:
      fail(ErrorCode::kInternal, "internal fault: a kernel reads or writes ", tsr::name_of(t));
    default:
      return Type::f32;
  }
}

uint32_t ParamValue::bits() const { return type == Type::f32 ? std::bit_cast<uint32_t>(f) : static_cast<uint32_t>(i); }

uint64_t structural_hash(const Kernel& k) {
  uint64_t h = k.body->hash();
  const auto add = [&h](uint64_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15ull, h ^= h >> 29; };
  add(static_cast<uint64_t>(k.out_rank) << 8 | static_cast<uint64_t>(k.out_dtype));
  add(k.inputs.size());
  for (const KernelInput& in : k.inputs) add(static_cast<uint64_t>(in.rank) << 8 | static_cast<uint64_t>(in.dtype));
  add(k.params.size());
  for (const ParamValue& p : k.params) add(static_cast<uint64_t>(p.type));
  return h;
}

bool same_structure(const Kernel& a, const Kernel& b) {
  if (a.body.id() != b.body.id() || a.out_rank != b.out_rank || a.out_dtype != b.out_dtype || a.inputs != b.inputs ||
      a.params.size() != b.params.size()) {
    return false;
  }
  for (size_t i = 0; i < a.params.size(); ++i) {
    if (a.params[i].type != b.params[i].type) return false;
  }
  return true;
}

void verify(const Kernel& k) {
  const auto want = [&k](bool ok, const auto&... parts) {
    if (!ok) [[unlikely]]
      check(false, "kernel ", k.name, ": ", parts...);
  };
  want(static_cast<bool>(k.body), "no body");
  want(k.out_rank >= 0 && k.out_rank <= kMaxRank, "output rank ", k.out_rank);
  want(k.out_dtype == DType::kFloat32 || k.out_dtype == DType::kInt32 || k.out_dtype == DType::kBool, "cannot write ",
       tsr::name_of(k.out_dtype));
  want(k.body.type() == type_of(k.out_dtype), "the body is ", name_of(k.body.type()), ", the output ",
       tsr::name_of(k.out_dtype));
  for (size_t i = 0; i < k.inputs.size(); ++i) {
    want(k.inputs[i].dtype != DType::kComplex64 && k.inputs[i].dtype != DType::kString, "input ", i, " is ",
         tsr::name_of(k.inputs[i].dtype));
    want(k.inputs[i].rank >= 0 && k.inputs[i].rank <= kMaxRank, "input ", i, " has rank ", k.inputs[i].rank);
  }
  want(k.body->depends().vars == 0, "a reduction variable is used outside its reduction");
  const int num_inputs = static_cast<int>(k.inputs.size());
  for_each_node(k.body, [&](const Node& n) {
    switch (n.op()) {
      case Op::kAxis:
        want(n.a() < k.out_rank, "axis(", n.a(), ") of an output of rank ", k.out_rank);
        break;
      case Op::kOutDim:
        want(n.a() < k.out_rank, "out_dim(", n.a(), ") of an output of rank ", k.out_rank);
        break;
      case Op::kDim:
        want(n.a() < num_inputs, "dim of input ", n.a(), ", but there are ", num_inputs, " inputs");
        want(n.b() < k.inputs[static_cast<size_t>(n.a())].rank, "dim(", n.a(), ", ", n.b(), ") of an input of rank ",
             k.inputs[static_cast<size_t>(n.a())].rank);
        break;
      case Op::kParam:
        want(static_cast<size_t>(n.a()) < k.params.size(), "param(", n.a(), ") of ", k.params.size());
        want(k.params[static_cast<size_t>(n.a())].type == n.type(), "param(", n.a(), ") is read as ", name_of(n.type()),
             ", but is ", name_of(k.params[static_cast<size_t>(n.a())].type));
        break;
      case Op::kLoad: {
        want(n.a() < num_inputs, "a load from input ", n.a(), ", but there are ", num_inputs, " inputs");
        const KernelInput& in = k.inputs[static_cast<size_t>(n.a())];
        want(static_cast<int>(n.args().size()) == in.rank, "a load with ", n.args().size(), " indices from input ",
             n.a(), " of rank ", in.rank);
        want(type_of(in.dtype) == n.type(), "a load of ", name_of(n.type()), " from input ", n.a(), " of ",
             tsr::name_of(in.dtype));
        break;
      }
      default:
        break;
    }
  });
}

std::string print(const Expr& root) {
  std::map<const Node*, std::string> names;
  Text out;
  int next = 0;
  for_each_node(root, [&](const Node& n) {
    Text text;
    switch (n.op()) {
      case Op::kConst:
        if (n.type() == Type::f32)
          text << n.f32() << "f";
        else if (n.type() == Type::i32)
          text << n.i32();
        else
          text << (n.i32() ? "true" : "false");
        names[&n] = text.str();
        return;
      case Op::kAxis:
        names[&n] = "axis" + std::to_string(n.a());
        return;
      case Op::kOutDim:
        names[&n] = "out_dim" + std::to_string(n.a());
        return;
      case Op::kDim:
        names[&n] = "dim" + std::to_string(n.a()) + "." + std::to_string(n.b());
        return;
      case Op::kParam:
        names[&n] = "param" + std::to_string(n.a());
        return;
      case Op::kVar:
        names[&n] = "var" + std::to_string(n.a());
        return;
      case Op::kLoad:
        text << "load in" << n.a();
        break;
      case Op::kReduce:
        text << name_of(n.reduction()) << " var" << n.a() << " <";
        break;
      default:
        text << name_of(n.op());
        break;
    }
    for (const Expr& x : n.args()) text << " " << names[x.id()];
    const std::string name = "%" + std::to_string(next++);
    out << "  " << name << ": " << name_of(n.type()) << " = " << text.str() << "\n";
    names[&n] = name;
  });
  out << "  " << names[root.id()] << "\n";
  return out.str();
}

std::string print(const Kernel& k) {
  Text out;
  out << k.name << "(";
  for (size_t i = 0; i < k.inputs.size(); ++i) {
    out << (i ? ", " : "") << "in" << i << ": " << tsr::name_of(k.inputs[i].dtype) << " rank " << k.inputs[i].rank;
  }
  for (size_t i = 0; i < k.params.size(); ++i) {
    out << (i || !k.inputs.empty() ? ", " : "") << "param" << i << ": " << name_of(k.params[i].type);
  }
  out << ") -> " << tsr::name_of(k.out_dtype) << " rank " << k.out_rank << "\n" << print(k.body);
  return out.str();
}

std::vector<Expr> all_axes(int rank) {
  std::vector<Expr> out;
  for (int d = 0; d < rank; ++d) out.push_back(axis(d));
  return out;
}

bool is_elementwise(const Kernel& k) {
  bool ok = true;
  for_each_node(k.body, [&](const Node& n) {
    if (n.op() == Op::kReduce) ok = false;
    if (n.op() != Op::kLoad) return;
    const int lead = k.out_rank - static_cast<int>(n.args().size());
    if (lead < 0) ok = false;
    for (size_t d = 0; ok && d < n.args().size(); ++d) {
      const Node& i = n.arg(d).node();
      const bool same = i.op() == Op::kAxis && i.a() == lead + static_cast<int>(d);
      const bool repeated = i.op() == Op::kConst && i.i32() == 0;
      ok = same || repeated;
    }
  });
  return ok;
}

}  // namespace tsr::ir
