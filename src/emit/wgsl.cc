#include "emit/wgsl.h"

#include "emit/emitter.h"

namespace tsr::emit {
namespace {

using ir::Op;
using ir::Type;

class Wgsl : public Dialect {
 public:
  std::string type(Type t) const override { return t == Type::f32 ? "f32" : t == Type::i32 ? "i32" : "bool"; }
  std::string let(Type t, const std::string& name, const std::string& value) const override {
    return "let " + name + ": " + type(t) + " = " + value + ";";
  }
  std::string var(Type t, const std::string& name, const std::string& value) const override {
    return "var " + name + ": " + type(t) + " = " + value + ";";
  }
  std::string select(const std::string& c, const std::string& x, const std::string& y) const override {
    return "select(" + y + ", " + x + ", " + c + ")";
  }
  std::string load(int input, Type t, const std::string& index) const override {
    const std::string element = "x" + std::to_string(input) + "[" + index + "]";
    return t == Type::b1 ? element + " != 0" : element;
  }
  std::string f32_of_i32(const std::string& x) const override { return "f32(" + x + ")"; }
  std::string bits_of_f32(const std::string& x) const override { return "bitcast<i32>(" + x + ")"; }
  std::string f32_of_bits(const std::string& x) const override { return "bitcast<f32>(" + x + ")"; }
  std::string shift(Op op, const std::string& x, const std::string& count) const override {
    const std::string by = "u32(" + count + " & 31)";
    if (op == Op::kShl) return x + " << " + by;
    if (op == Op::kShr) return x + " >> " + by;
    return "bitcast<i32>(bitcast<u32>(" + x + ") >> " + by + ")";
  }
  std::string function(Op op) const override {
    if (op == Op::kRsqrt) return "inverseSqrt";
    return ir::name_of(op);  // round is half to even in WGSL
  }
  std::string helper(const std::string& name) const override {
    if (name == "is_nan_bits")
      return "fn is_nan_bits(x: f32) -> bool { return (bitcast<i32>(x) & 0x7fffffff) > 0x7f800000; }\n";
    if (name == "f32_max")
      return "fn f32_max(x: f32, y: f32) -> f32 { return select(y, x, is_nan_bits(x) || x > y); }\n";
    if (name == "f32_min")
      return "fn f32_min(x: f32, y: f32) -> f32 { return select(y, x, is_nan_bits(x) || x < y); }\n";
    // Division by zero is defined in WGSL (x / 0 is x, INT_MIN / -1 is INT_MIN), but not what is wanted.
    if (name == "idiv") return "fn idiv(x: i32, y: i32) -> i32 { return select(x / y, 0, y == 0); }\n";
    if (name == "irem") return "fn irem(x: i32, y: i32) -> i32 { return select(x % y, 0, y == 0); }\n";
    const std::string bits = word(3);
    if (name == "exp_guarded") return "fn exp_guarded(x: f32) -> f32 { return select(exp(x), x, is_nan_bits(x)); }\n";
    if (name == "sqrt_guarded") {  // -0 stays, below it and from NaN on there is NaN
      return "fn sqrt_guarded(x: f32) -> f32 {\n"
             "  let bits: i32 = bitcast<i32>(x);\n"
             "  if (bits > 0x7f800000 || (bits < 0 && (bits & 0x7fffffff) != 0)) { return bitcast<f32>(" +
             bits + " + 0x7fc00000); }\n  return sqrt(x);\n}\n";
    }
    if (name == "log_guarded") {
      return "fn log_guarded(x: f32) -> f32 {\n"
             "  let bits: i32 = bitcast<i32>(x);\n"
             "  if ((bits & 0x7fffffff) == 0) { return bitcast<f32>(" +
             bits +
             " + (-8388608)); }\n"
             "  if (bits < 0 || bits > 0x7f800000) { return bitcast<f32>(" +
             bits +
             " + 0x7fc00000); }\n"
             "  if (bits == 0x7f800000) { return x; }\n"
             "  if (bits < 0x00800000) { return log(x * 8388608.0) - 15.9423847; }\n"
             "  return log(x);\n"
             "}\n";
    }
    return "fn to_int(x: f32) -> i32 {\n"
           "  if ((bitcast<i32>(x) & 0x7fffffff) > 0x7f800000) { return 0; }\n"
           "  if (x >= 2147483648.0) { return 2147483647; }\n"
           "  if (x <= -2147483648.0) { return -2147483647 - 1; }\n"
           "  return i32(x);\n"
           "}\n";
  }
};

}  // namespace

Shader emit_wgsl(const ir::Kernel& k) {
  ir::verify(k);
  const Wgsl wgsl;
  Shader out;
  out.layout = launch_layout(k);
  const BodyText body = emit_body(k, out.layout, wgsl, "  ");
  const size_t n = k.inputs.size();
  const auto element = [](Type t) { return t == Type::f32 ? "f32" : "i32"; };
  std::string& t = out.text;
  t = "// " + k.name + "\n";
  for (size_t i = 0; i < n; ++i) {
    t += "@group(0) @binding(" + std::to_string(i) + ") var<storage, read> x" + std::to_string(i) + ": array<" +
         element(ir::type_of(k.inputs[i].dtype)) + ">;\n";
  }
  t += "@group(0) @binding(" + std::to_string(n) + ") var<storage, read_write> y: array<" + element(k.body.type()) +
       ">;\n";
  t += "@group(0) @binding(" + std::to_string(n + 1) + ") var<uniform> u: array<vec4<i32>, " +
       std::to_string(out.layout.words / 4) + ">;\n";
  t += helper_text(body.helpers, wgsl);
  t += "@compute @workgroup_size(" + std::to_string(kWorkgroup) +
       ")\n"
       "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
       "  let i: i32 = i32(id.y) * " +
       word(1) + " + i32(id.x) + " + word(2) +
       ";\n"
       "  if (i >= " +
       word(0) + ") { return; }\n";
  // Every binding is mentioned, so that automatic layouts have it.
  for (size_t i = 0; i < n; ++i) t += "  _ = &x" + std::to_string(i) + ";\n";
  t += emit_axes(k, out.layout, wgsl, "  ");
  t += body.statements;
  t += "  y[i] = " + (k.body.type() == Type::b1 ? "select(0, 1, " + body.result + ")" : body.result) + ";\n}\n";
  return out;
}

}  // namespace tsr::emit
