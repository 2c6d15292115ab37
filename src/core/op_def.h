// OpDef: everything there is to know about one op, stated once. Shapes, dtypes, gradient, kernel, documentation, the C++ and JS
// functions and the test cases all come from here.
//
// An op computes in exactly one of three ways:
//   body     a pull kernel: each output element as an expression over the inputs (src/ir/expr.h). Runs on every backend.
//   compose  other ops. Expanded when the op is called, so nothing downstream ever sees it.
//   host     C++ over host memory, for what no kernel language should do (sort, non-max suppression, strings). On a GPU its
//            inputs are read back first.
// `elementwise` ops also carry ahead-of-time SIMD code for the CPU, made from the same lambda as the body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "core/attrs.h"
#include "core/doc_text.h"
#include "core/dtype.h"
#include "core/storage.h"
#include "tessera/tensor.h"

namespace tsr {

namespace ir {
class Expr;
class BodyCtx;
}  // namespace ir

struct OpDef;

struct InputDef {
  const char* name = "";
  DocText doc{};
  bool optional = false;  ///< may be left out; only at the end of the list
  bool variadic = false;  ///< the last input: one or more tensors
};

/// What `infer` sees and fills: input types in, output types out. Throws through `error` name the op by themselves.
class InferCtx {
 public:
  InferCtx(const OpDef& op, std::span<const TensorType> in, const Attrs& attrs, std::vector<TensorType>& out)
      : op_(op), in_(in), attrs_(attrs), out_(out) {}
  const char* op() const;
  int num_inputs() const { return static_cast<int>(in_.size()); }
  const TensorType& in(int k) const { return in_[static_cast<size_t>(k)]; }
  const Shape& shape(int k) const { return in(k).shape; }
  DType dtype(int k) const { return in(k).dtype; }
  template <typename A>
  const A& attrs() const {
    return attrs_.as<A>();
  }
  /// Appends the next output's type.
  void out(const Shape& shape, DType dtype) { out_.push_back({shape, dtype}); }

  /// Throws "[op] " + parts.
  template <typename... Parts>
  [[noreturn]] void error(const Parts&... parts) const {
    fail(ErrorCode::kInvalidArgument, "[", op(), "] ", parts...);
  }
  template <typename... Parts>
  void want(bool ok, const Parts&... parts) const {
    if (!ok) [[unlikely]] error(parts...);
  }
  /// Throws unless input k has that rank / one of those dtypes.
  void want_rank(int k, int rank) const;
  void want_rank_at_least(int k, int rank) const;
  void want_dtype(int k, std::initializer_list<DType> allowed) const;

 private:
  const OpDef& op_;
  std::span<const TensorType> in_;
  const Attrs& attrs_;
  std::vector<TensorType>& out_;
};

/// One operand of a host op, on the host.
struct HostTensor {
  TensorType type;
  std::byte* bytes = nullptr;            ///< C order; null for strings
  std::vector<std::string>* strings = nullptr;
  template <typename T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(bytes), static_cast<size_t>(type.shape.size())};
  }
};

/// What a host op sees. Outputs of known shape are allocated before the call; an op with `dynamic_outputs` calls `allocate`.
class HostCtx {
 public:
  virtual ~HostCtx() = default;
  virtual int num_inputs() const = 0;
  virtual const HostTensor& in(int k) const = 0;
  virtual HostTensor& out(int k) = 0;
  virtual HostTensor& allocate(int k, const Shape& shape) = 0;
  virtual const Attrs& raw_attrs() const = 0;
  template <typename A>
  const A& attrs() const {
    return raw_attrs().as<A>();
  }
};

/// What `compose` and `vjp` see: tensors, on which they call ordinary ops.
struct ComposeCtx {
  const OpDef& op;
  std::span<const Tensor> in;
  const Attrs& raw_attrs;
  template <typename A>
  const A& attrs() const {
    return raw_attrs.as<A>();
  }
};

struct VjpCtx {
  std::span<const Tensor> in;
  std::span<const Tensor> out;
  std::span<const Tensor> grad;  ///< one per output; undefined where no gradient flows
  const Attrs& raw_attrs;
  std::span<const bool> needs;   ///< which inputs' gradients are asked for; others may be left undefined
  template <typename A>
  const A& attrs() const {
    return raw_attrs.as<A>();
  }
};

/// Ahead-of-time CPU code of an elementwise op over `n` elements. Each input is contiguous (step 1) or a single element (step 0).
/// Inputs have the dtypes of `OpDef::infer`'s inputs as stored (bool: bytes); the output that of `infer`. `in` and `out` may alias exactly.
struct ElementwiseArgs {
  const void* const* in = nullptr;
  const uint8_t* step = nullptr;     ///< 0 or 1, one per input
  const DType* in_dtype = nullptr;
  void* out = nullptr;
  DType out_dtype = DType::kFloat32;
  int64_t n = 0;
  const Attrs* attrs = nullptr;
};
/// Returns false when it has no code for these dtypes (the caller then runs the body).
using ElementwiseFn = bool (*)(const ElementwiseArgs&);

struct OpDef {
  const char* name = "";     ///< camelCase as in TensorFlow.js: "depthwiseConv2d"; C++ gets depthwise_conv2d
  DocText doc{};             ///< one to three sentences; the formula and its source where there is one
  const char* family = "";   ///< the heading in the reference page: "elementwise", "reduce"...
  std::vector<InputDef> inputs{};
  /// Names of the outputs where there are several ({"values", "indices"}), or one variadic entry where their number depends on the
  /// call (split). Empty: one output. The generated C++ returns a Tensor for one, a std::vector<Tensor> for several.
  std::vector<InputDef> outputs{};
  AttrSchemaRef attrs = &AttrSchema::of<NoAttrs>;
  void (*infer)(InferCtx&) = nullptr;

  ir::Expr (*body)(ir::BodyCtx&) = nullptr;
  std::vector<Tensor> (*compose)(const ComposeCtx&) = nullptr;
  void (*host)(HostCtx&) = nullptr;
  /// Gradients for each input, undefined Tensor where there is none. Null: not differentiable (an error when asked for).
  std::vector<Tensor> (*vjp)(const VjpCtx&) = nullptr;

  ElementwiseFn (*elementwise_fn)() = nullptr;  ///< the best code for this machine; null when the op is not elementwise
  bool elementwise = false;      ///< output element i depends on the inputs' elements i (under broadcasting) alone
  bool alias = false;            ///< the output is input 0's bytes under another shape (reshape, identity)
  bool dynamic_outputs = false;  ///< output shapes depend on data: infer gives the rank with -1 where unknown
  bool shape_only = false;       ///< the result depends on the inputs' shapes and dtypes, never on their data
  bool zero_gradient = false;    ///< piecewise constant or integer-valued: gradients are zeros / none, silently (as TensorFlow does)
  bool in_js = true;             ///< false: internal (a gradient's kernel), no public wrapper is generated
  /// Largest error against the reference: |got - want| <= tolerance * max(1, |want|). 0 means exact.
  double tolerance = 1e-5;

  /// Set by the registry: a small dense number, stable within a process, and one after the last.
  int id = -1;
};

inline const char* InferCtx::op() const { return op_.name; }

/// Adds an op; throws kInternal when the name is taken or the definition incomplete. Returns the registered op.
const OpDef& register_op(OpDef&& def);
/// The op of that name, or null.
const OpDef* find_op(std::string_view name);
/// The op of that name; throws kNotFound "op 'x' does not exist".
const OpDef& get_op(std::string_view name);
const OpDef& op_by_id(int id);
/// All ops, sorted by name (ids are in order of registration, which differs between builds).
std::vector<const OpDef*> all_ops();

/// Registers at program start: `static const RegisterOp kAbs{{.name = "abs", ...}};` at namespace scope of a file in src/ops/.
struct RegisterOp {
  explicit RegisterOp(OpDef&& def) : op(register_op(std::move(def))) {}  // by reference: hundreds of moves make a program larger
  const OpDef& op;
};

/// Infers and records one op on tensors: the single entry through which every op call goes, whoever makes it.
/// Throws on wrong inputs; nothing has changed then.
std::vector<Tensor> apply(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs = {});
/// For ops with one output.
Tensor apply1(const OpDef& op, std::initializer_list<Tensor> inputs, Attrs attrs = {});

/// Who records: the runtime installs itself here, so that core and ops need not know it.
using RecordFn = std::vector<Tensor> (*)(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs,
                                         std::vector<TensorType>& out_types);
/// Returns the one installed before.
RecordFn set_recorder(RecordFn fn);

/// Who reads: makes the storage of t ready on the host, running and waiting as needed. Installed by the runtime.
using ReadFn = void (*)(TensorImpl& t);
void set_reader(ReadFn fn);

/// Checks the number of inputs and that all are defined; runs infer. Throws "[op] ...".
void infer_types(const OpDef& op, std::span<const TensorType> inputs, const Attrs& attrs, std::vector<TensorType>& out);

}  // namespace tsr
