#include "backends/cpu/emitted.h"

#include <atomic>
#include <unordered_map>

#ifdef __EMSCRIPTEN__
extern "C" {
/// A function-table index of this thread for the module's export "f"; 0 when it cannot be made (js/library/emitted.js).
int tsr_js_emitted_function(const uint8_t* module, uint32_t bytes);
/// Gives an index back.
void tsr_js_drop_emitted(int function);
}
#endif

namespace tsr::cpu {
namespace {

using ir::Expr;
using ir::Node;
using ir::Op;
using ir::Type;

// Opcodes of the WebAssembly specification; those of SIMD come after the prefix 0xfd.
enum : uint8_t { kBlock = 0x02, kLoop = 0x03, kEnd = 0x0b, kBrIf = 0x0d, kLocalGet = 0x20, kLocalSet = 0x21, kLocalTee = 0x22, kI32Load = 0x28,
                 kI32Const = 0x41, kI32Eqz = 0x45, kI32LtU = 0x49, kI32Add = 0x6a, kVoid = 0x40, kI32 = 0x7f, kV128 = 0x7b };
enum : uint32_t { kV128Load = 0x00, kLoad32Splat = 0x09, kV128Store = 0x0b, kV128Const = 0x0c, kEq = 0x41, kNe = 0x42, kLt = 0x43, kGt = 0x44,
                  kLe = 0x45, kGe = 0x46, kNot = 0x4d, kAnd = 0x4e, kOr = 0x50, kBitselect = 0x52, kCeil = 0x67, kFloor = 0x68, kTrunc = 0x69,
                  kNearest = 0x6a, kAbs = 0xe0, kNeg = 0xe1, kSqrt = 0xe3, kAdd = 0xe4, kSub = 0xe5, kMul = 0xe6, kDiv = 0xe7, kPmin = 0xea,
                  kPmax = 0xeb };

// A module may hold so many values, beyond which engines spill too much for it to pay.
constexpr size_t kMaxNodes = 96;

class Bytes {
 public:
  void byte(uint8_t b) { data.push_back(b); }
  void leb(uint32_t v) {
    do {
      const uint8_t low = v & 0x7f;
      v >>= 7;
      byte(v ? low | 0x80 : low);
    } while (v);
  }
  void sleb(int32_t v) {
    for (;;) {
      const uint8_t low = static_cast<uint8_t>(v & 0x7f);
      v >>= 7;
      if ((v == 0 && !(low & 0x40)) || (v == -1 && (low & 0x40))) return byte(low);
      byte(low | 0x80);
    }
  }
  void simd(uint32_t op) {
    byte(0xfd);
    leb(op);
  }
  void append(const Bytes& b) { data.insert(data.end(), b.data.begin(), b.data.end()); }
  void section(uint8_t id, const Bytes& content) {
    byte(id);
    leb(static_cast<uint32_t>(content.data.size()));
    append(content);
  }
  void name(const char* s) {
    uint32_t n = 0;
    while (s[n]) ++n;
    leb(n);
    for (uint32_t i = 0; i < n; ++i) byte(static_cast<uint8_t>(s[i]));
  }
  std::vector<uint8_t> data;
};

class Emitter {
 public:
  Emitter(const ir::Kernel& kernel, const std::vector<bool>& single) : k_(kernel), single_(single) {}

  // The function's body with its locals, or nothing.
  std::optional<Bytes> function() {
    if (k_.out_dtype != DType::kFloat32 || k_.body.type() != Type::f32) return {};
    if (!count_uses(k_.body)) return {};
    // Locals after the four arguments: the offset, an address per whole input, then vectors.
    offset_ = 4;
    next_address_ = 5;
    for (size_t i = 0; i < k_.inputs.size(); ++i) {
      if (!loaded_[i]) continue;
      if (single_[i]) continue;
      address_of_[i] = next_address_++;
    }
    next_vector_ = next_address_;
    Bytes head;
    for (size_t i = 0; i < k_.inputs.size(); ++i) {
      if (!loaded_[i]) continue;
      pointer(head, i);
      if (single_[i]) {
        head.simd(kLoad32Splat), head.leb(2), head.leb(0);
        head.byte(kLocalSet), head.leb(local_of_[loaded_[i]] = next_vector_++);
      } else {
        head.byte(kLocalSet), head.leb(address_of_[i]);
      }
    }
    for (const Node* n : leaves_) {  // constants and parameters, spread once: in the loop they would be built anew each time
      if (n->op() == Op::kConst) {
        head.simd(kV128Const);
        for (int lane = 0; lane < 4; ++lane)
          for (int b = 0; b < 4; ++b) head.byte(static_cast<uint8_t>(n->bits() >> (8 * b)));
      } else {
        head.byte(kLocalGet), head.leb(1);
        head.simd(kLoad32Splat), head.leb(2), head.leb(static_cast<uint32_t>(n->a()) * 4);
      }
      head.byte(kLocalSet), head.leb(local_of_[n] = next_vector_++);
    }
    Bytes loop;
    loop.byte(kLocalGet), loop.leb(2), loop.byte(kLocalGet), loop.leb(offset_), loop.byte(kI32Add);  // where the store goes
    value(loop, k_.body);
    loop.simd(kV128Store), loop.leb(2), loop.leb(0);
    loop.byte(kLocalGet), loop.leb(offset_), loop.byte(kI32Const), loop.sleb(16), loop.byte(kI32Add), loop.byte(kLocalTee), loop.leb(offset_);
    loop.byte(kLocalGet), loop.leb(3), loop.byte(kI32LtU), loop.byte(kBrIf), loop.leb(0);

    Bytes body;
    body.leb(2);
    body.leb(next_address_ - 4), body.byte(kI32);
    body.leb(next_vector_ - next_address_), body.byte(kV128);
    body.byte(kBlock), body.byte(kVoid);
    body.byte(kLocalGet), body.leb(3), body.byte(kI32Eqz), body.byte(kBrIf), body.leb(0);
    body.append(head);
    body.byte(kLoop), body.byte(kVoid);
    body.append(loop);
    body.byte(kEnd), body.byte(kEnd), body.byte(kEnd);
    return body;
  }

 private:
  static bool is_leaf(const Node& n) { return n.op() == Op::kConst || n.op() == Op::kParam; }

  static std::optional<uint32_t> plain(Op op) {
    switch (op) {
      case Op::kAdd: return kAdd;
      case Op::kSub: return kSub;
      case Op::kMul: return kMul;
      case Op::kDiv: return kDiv;
      case Op::kNeg: return kNeg;
      case Op::kAbs: return kAbs;
      case Op::kSqrt: return kSqrt;
      case Op::kFloor: return kFloor;
      case Op::kCeil: return kCeil;
      case Op::kTrunc: return kTrunc;
      case Op::kRound: return kNearest;
      case Op::kEq: return kEq;
      case Op::kNe: return kNe;
      case Op::kLt: return kLt;
      case Op::kLe: return kLe;
      case Op::kGt: return kGt;
      case Op::kGe: return kGe;
      case Op::kAnd: return kAnd;
      case Op::kOr: return kOr;
      case Op::kNot: return kNot;
      default: return {};
    }
  }

  // Counts readers of each node; false when one cannot be expressed.
  bool count_uses(const Expr& e) {
    if (++uses_[e.id()] > 1) return true;
    if (uses_.size() > kMaxNodes) return false;
    const Node& n = e.node();
    switch (n.op()) {
      case Op::kConst:
        if (n.type() != Type::f32) return false;
        leaves_.push_back(&n);
        return true;
      case Op::kParam:
        if (n.type() != Type::f32) return false;
        leaves_.push_back(&n);
        return true;
      case Op::kLoad: {
        const auto i = static_cast<size_t>(n.a());
        if (n.type() != Type::f32 || k_.inputs[i].dtype != DType::kFloat32) return false;
        if (loaded_[i]) return false;  // another element of it
        loaded_[i] = &n;
        return true;
      }
      case Op::kMin:
      case Op::kMax:
      case Op::kRsqrt:
        if (n.type() != Type::f32) return false;
        break;
      case Op::kSelect:
        if (n.type() != Type::f32) return false;
        break;
      case Op::kAnd:
      case Op::kOr:
      case Op::kNot: break;  // of masks
      default:
        if (!plain(n.op()) || n.type() == Type::i32 || n.arg(0).type() != Type::f32) return false;
        break;
    }
    for (const Expr& x : n.args()) {
      if (!count_uses(x)) return false;  // whole numbers find no node here that makes or takes them
    }
    return true;
  }

  void pointer(Bytes& out, size_t input) {
    out.byte(kLocalGet), out.leb(0);
    out.byte(kI32Load), out.leb(2), out.leb(static_cast<uint32_t>(input) * 4);
  }
  void get(Bytes& out, uint32_t local) { out.byte(kLocalGet), out.leb(local); }

  // Leaves the node's value on the stack.
  void value(Bytes& out, const Expr& e) {
    if (const auto it = local_of_.find(e.id()); it != local_of_.end()) return get(out, it->second);
    compute(out, e);
    if (uses_[e.id()] > 1) {
      out.byte(kLocalTee), out.leb(local_of_[e.id()] = next_vector_++);
    }
  }

  void compute(Bytes& out, const Expr& e) {
    const Node& n = e.node();
    switch (n.op()) {
      case Op::kLoad:
        get(out, address_of_[static_cast<size_t>(n.a())]);
        get(out, offset_);
        out.byte(kI32Add);
        out.simd(kV128Load), out.leb(2), out.leb(0);
        return;
      case Op::kMin:
      case Op::kMax: return extreme(out, n, n.op() == Op::kMax ? kPmax : kPmin);
      case Op::kRsqrt: {
        out.simd(kV128Const);
        for (int lane = 0; lane < 4; ++lane) out.byte(0), out.byte(0), out.byte(0x80), out.byte(0x3f);  // 1.0f
        value(out, n.arg(0));
        out.simd(kSqrt), out.simd(kDiv);
        return;
      }
      case Op::kSelect:
        value(out, n.arg(1));
        value(out, n.arg(2));
        value(out, n.arg(0));
        out.simd(kBitselect);
        return;
      default:
        for (const Expr& x : n.args()) value(out, x);
        out.simd(*plain(n.op()));
    }
  }

  static bool is_number(const Expr& e) { return e->op() == Op::kConst && e->f32() == e->f32(); }

  // pmax(x, y) is x < y ? y : x, so it is x where either is NaN (and pmin likewise).
  void extreme(Bytes& out, const Node& n, uint32_t op) {
    const Expr &a = n.arg(0), &b = n.arg(1);
    if (is_number(b) || is_number(a)) {
      value(out, is_number(b) ? a : b);
      value(out, is_number(b) ? b : a);
      out.simd(op);
      return;
    }
    const uint32_t first = next_vector_++;
    value(out, a);
    out.byte(kLocalTee), out.leb(first);  // bitselect's first choice: a where a is NaN
    value(out, b);
    get(out, first);
    out.simd(op);
    get(out, first);
    get(out, first);
    out.simd(kNe);
    out.simd(kBitselect);
  }

  const ir::Kernel& k_;
  const std::vector<bool>& single_;
  std::unordered_map<const Node*, int> uses_;
  std::unordered_map<const Node*, uint32_t> local_of_;
  std::unordered_map<size_t, const Node*> loaded_;
  std::unordered_map<size_t, uint32_t> address_of_;
  std::vector<const Node*> leaves_;
  uint32_t offset_ = 0, next_address_ = 0, next_vector_ = 0;
};

}  // namespace

std::optional<std::vector<uint8_t>> emit_wasm(const ir::Kernel& kernel, const std::vector<bool>& single, bool shared) {
  std::optional<Bytes> body = Emitter(kernel, single).function();
  if (!body) return {};
  Bytes m;
  for (uint8_t b : {0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00}) m.byte(b);
  Bytes types;  // one: (i32, i32, i32, i32) -> ()
  types.leb(1), types.byte(0x60), types.leb(4);
  for (int i = 0; i < 4; ++i) types.byte(kI32);
  types.leb(0);
  m.section(1, types);
  Bytes imports;  // memory "e" "m", as large as it is
  imports.leb(1), imports.name("e"), imports.name("m"), imports.byte(0x02);
  if (shared) {
    imports.byte(0x03), imports.leb(0), imports.leb(65536);
  } else {
    imports.byte(0x00), imports.leb(0);
  }
  m.section(2, imports);
  Bytes functions;
  functions.leb(1), functions.leb(0);
  m.section(3, functions);
  Bytes exports;
  exports.leb(1), exports.name("f"), exports.byte(0x00), exports.leb(0);
  m.section(7, exports);
  Bytes code;
  code.leb(1), code.leb(static_cast<uint32_t>(body->data.size())), code.append(*body);
  m.section(10, code);
  return std::move(m.data);
}

EmittedFunction::EmittedFunction(std::vector<uint8_t> module) : module_(std::move(module)) {
  static std::atomic<uint32_t> next{1};
  id_ = next.fetch_add(1, std::memory_order_relaxed);
}

#ifdef __EMSCRIPTEN__

namespace {

// What this thread has compiled, by id modulo the size: newer functions take the places of older ones, so a thread holds but so many
// (a module of this size takes a few KB). Function tables are each thread's own.
constexpr uint32_t kPlaces = 128;
struct Place {
  uint32_t id;
  int function;  // 0: refused
};
thread_local Place t_places[kPlaces];

}  // namespace

bool EmittedFunction::run(const void* const* inputs, const void* params, void* out, uint32_t bytes) const {
  Place& place = t_places[id_ % kPlaces];
  if (place.id != id_) {
    if (place.function) tsr_js_drop_emitted(place.function);
    place = {id_, tsr_js_emitted_function(module_.data(), static_cast<uint32_t>(module_.size()))};
  }
  if (!place.function) return false;
  using Function = void (*)(const void* const*, const void*, void*, uint32_t);
  reinterpret_cast<Function>(static_cast<uintptr_t>(place.function))(inputs, params, out, bytes);
  return true;
}

#else

bool EmittedFunction::run(const void* const*, const void*, void*, uint32_t) const { return false; }

#endif

// Without SIMD the imports stay, so that all variants share one glue, but nothing calls them.
bool can_emit() {
#ifdef __wasm_simd128__
  return true;
#else
  return false;
#endif
}

bool memory_is_shared() {
#if defined(__EMSCRIPTEN_PTHREADS__) || defined(__EMSCRIPTEN_SHARED_MEMORY__)
  return true;
#else
  return false;
#endif
}

}  // namespace tsr::cpu
