#include "emit/glsl.h"

#include "emit/emitter.h"

namespace tsr::emit {
namespace {

using ir::Op;
using ir::Type;

class Glsl : public Dialect {
 public:
  std::string type(Type t) const override { return t == Type::f32 ? "float" : t == Type::i32 ? "int" : "bool"; }
  std::string let(Type t, const std::string& name, const std::string& value) const override {
    return type(t) + " " + name + " = " + value + ";";  // no const: GLSL ES wants constant initialisers for that
  }
  std::string var(Type t, const std::string& name, const std::string& value) const override {
    return let(t, name, value);
  }
  std::string select(const std::string& c, const std::string& x, const std::string& y) const override {
    return c + " ? " + x + " : " + y;
  }
  std::string load(int input, Type t, const std::string& index) const override {
    const std::string element = "load" + std::to_string(input) + "(" + index + ")";
    return t == Type::b1 ? element + " != 0" : element;
  }
  std::string f32_of_i32(const std::string& x) const override { return "float(" + x + ")"; }
  std::string bits_of_f32(const std::string& x) const override { return "floatBitsToInt(" + x + ")"; }
  std::string f32_of_bits(const std::string& x) const override { return "intBitsToFloat(" + x + ")"; }
  std::string shift(Op op, const std::string& x, const std::string& count) const override {
    const std::string by = "(" + count + " & 31)";
    if (op == Op::kShl) return x + " << " + by;
    if (op == Op::kShr) return x + " >> " + by;
    return "int(uint(" + x + ") >> " + by + ")";
  }
  std::string function(Op op) const override {
    if (op == Op::kRsqrt) return "inversesqrt";
    if (op == Op::kRound) return "roundEven";
    return ir::name_of(op);
  }
  std::string helper(const std::string& name) const override {
    if (name == "is_nan_bits")
      return "bool is_nan_bits(float x) { return (floatBitsToInt(x) & 0x7fffffff) > 0x7f800000; }\n";
    if (name == "f32_max") return "float f32_max(float x, float y) { return is_nan_bits(x) || x > y ? x : y; }\n";
    if (name == "f32_min") return "float f32_min(float x, float y) { return is_nan_bits(x) || x < y ? x : y; }\n";
    // Division by zero and INT_MIN / -1 are undefined in GLSL.
    if (name == "idiv") return "int idiv(int x, int y) { return y == 0 ? 0 : y == -1 ? -x : x / y; }\n";
    if (name == "irem") {
      // GLSL leaves the remainder of negative operands undefined.
      return "int irem(int x, int y) { return y == 0 || y == -1 ? 0 : x - (x / y) * y; }\n";
    }
    const std::string zero = word(3);
    if (name == "exp_guarded") return "float exp_guarded(float x) { return is_nan_bits(x) ? x : exp(x); }\n";
    if (name == "sqrt_guarded") {  // -0 stays, below it and from NaN on there is NaN
      return "float sqrt_guarded(float x) {\n"
             "  int bits = floatBitsToInt(x);\n"
             "  return bits > 0x7f800000 || (bits < 0 && (bits & 0x7fffffff) != 0) ? intBitsToFloat(" +
             zero + " + 0x7fc00000) : sqrt(x);\n}\n";
    }
    if (name == "log_guarded") {
      return "float log_guarded(float x) {\n"
             "  int bits = floatBitsToInt(x);\n"
             "  if ((bits & 0x7fffffff) == 0) return intBitsToFloat(" +
             zero +
             " + (-8388608));\n"
             "  if (bits < 0 || bits > 0x7f800000) return intBitsToFloat(" +
             zero +
             " + 0x7fc00000);\n"
             "  if (bits == 0x7f800000) return x;\n"
             "  if (bits < 0x00800000) return log(x * 8388608.0) - 15.9423847;\n"
             "  return log(x);\n"
             "}\n";
    }
    return "int to_int(float x) {\n"
           "  if ((floatBitsToInt(x) & 0x7fffffff) > 0x7f800000) return 0;\n"
           "  if (x >= 2147483648.0) return 2147483647;\n"
           "  if (x <= -2147483648.0) return -2147483647 - 1;\n"
           "  return int(x);\n"
           "}\n";
  }
};

}  // namespace

Shader emit_glsl(const ir::Kernel& k) {
  ir::verify(k);
  const Glsl glsl;
  Shader out;
  out.layout = launch_layout(k);
  const BodyText body = emit_body(k, out.layout, glsl, "  ");
  const bool is_float = k.body.type() == Type::f32;
  std::string& t = out.text;
  t = "#version 300 es\n"
      "// " +
      k.name +
      "\n"
      "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp isampler2D;\n"
      "uniform ivec4 u[" +
      std::to_string(out.layout.words / 4) + "];\n";
  for (size_t i = 0; i < k.inputs.size(); ++i) {
    const std::string x = std::to_string(i);
    const bool f = ir::type_of(k.inputs[i].dtype) == Type::f32;
    // Widths are powers of two: a division here, once a load, would cost more than everything else in a loop.
    const std::string shift = word(out.layout.input_shifts[i]);
    t += std::string("uniform ") + (f ? "sampler2D x" : "isampler2D x") + x + ";\n";
    t += std::string(f ? "float" : "int") + " load" + x + "(int i) { int t = i >> 2; return texelFetch(x" + x +
         ", ivec2(t & ((1 << " + shift + ") - 1), t >> " + shift + "), 0)[i & 3]; }\n";
  }
  t += std::string("layout(location = 0) out ") + (is_float ? "vec4" : "ivec4") + " result;\n";
  t += helper_text(body.helpers, glsl);
  t += std::string(is_float ? "float" : "int") + " at(int i) {\n";
  t += emit_axes(k, out.layout, glsl, "  ");
  t += body.statements;
  t += "  return " + (k.body.type() == Type::b1 ? "int(" + body.result + ")" : body.result) + ";\n}\n";
  t += "void main() {\n"
       "  int i = (int(gl_FragCoord.y) * " +
       word(1) +
       " + int(gl_FragCoord.x)) * 4;\n"
       "  int n = min(" +
       word(0) +
       " - i, 4);\n"
       "  " +
       (is_float ? "vec4 texel = vec4(0.0)" : "ivec4 texel = ivec4(0)") +
       ";\n"
       "  for (int k = 0; k < n; k++) texel[k] = at(i + k);\n"  // WebGL refuses a variable index on the output itself
       "  result = texel;\n"
       "}\n";
  return out;
}

const char* glsl_vertex_shader() {
  return "#version 300 es\n"
         "void main() {\n"
         "  vec2 p = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);\n"
         "  gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);\n"
         "}\n";
}

}  // namespace tsr::emit
