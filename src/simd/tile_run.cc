// Executes tile code.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "ir/scalar.h"
#include "simd/tile_code.h"
#include "simd/tile_program.h"

namespace tsr::simd {
namespace {

using ir::Reduce;
using ir::Type;
using ir::Value;

/// Terms that an f32 sum across outputs adds before they go to the compensated total: the error of one block is that of
/// 64 additions.
constexpr int kSumBlock = 64;

// ---- Reading inputs of any dtype
// -------------------------------------------------------------------------------------------

float half_to_float(uint16_t h) {
  const float f = std::bit_cast<float>(static_cast<uint32_t>(h & 0x7fffu) << 13) * 5.192296858534828e33f;  // 2^112
  const uint32_t special = (h & 0x7fffu) >= 0x7c00u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(f) | special | static_cast<uint32_t>(h & 0x8000u) << 16);
}

/// Calls fn(elements as their storage type, conversion to a 4-byte tile element).
template <typename Fn>
void with_elements(DType t, const void* data, Fn fn) {
  switch (t) {
    case DType::kInt32:
      fn(static_cast<const int32_t*>(data), [](int32_t v) { return v; });
      break;
    case DType::kBool:
      fn(static_cast<const uint8_t*>(data), [](uint8_t v) { return v ? int32_t{-1} : int32_t{0}; });
      break;
    case DType::kFloat16:
      fn(static_cast<const uint16_t*>(data), [](uint16_t v) { return half_to_float(v); });
      break;
    case DType::kInt8:
      fn(static_cast<const int8_t*>(data), [](int8_t v) { return static_cast<float>(v); });
      break;
    case DType::kUint8:
      fn(static_cast<const uint8_t*>(data), [](uint8_t v) { return static_cast<float>(v); });
      break;
    case DType::kUint16:
      fn(static_cast<const uint16_t*>(data), [](uint16_t v) { return static_cast<float>(v); });
      break;
    default:
      fn(static_cast<const float*>(data), [](float v) { return v; });
      break;
  }
}

class Run {
 public:
  Run(const TileCode& code, const TileOps& ops, std::span<const void* const> inputs, std::byte* scratch)
      : code_(code), ops_(ops), inputs_(inputs) {
    words_ = reinterpret_cast<int32_t*>(scratch);
    splats_ = scratch + code.scalar_bytes();
    pointers_ = reinterpret_cast<void**>(splats_ + code.splat_bytes());
    places_ = splats_ + code.splat_bytes() + code.pointer_bytes();
  }

  void start(std::span<const ir::ParamValue> params) {
    for (const auto& c : code_.constants) set(c.slot, static_cast<int32_t>(c.bits));
    for (const auto& p : code_.params) set(p.slot, static_cast<int32_t>(params[static_cast<size_t>(p.param)].bits()));
    execute(code_.once, 0, 0);
  }

  void range(std::byte* out, int64_t begin, int64_t end) {
    const size_t bytes = size_of(code_.out_dtype);
    int64_t at = begin;
    while (at < end) {
      const int64_t row = at / code_.row;
      const int64_t row_end = std::min(end, (row + 1) * code_.row);
      start_row(row, at == begin);
      for (; at < row_end; at += kTile) {
        const int n = static_cast<int>(std::min<int64_t>(kTile, row_end - at));
        out_ = out + static_cast<size_t>(at) * bytes;
        // A whole number of vectors may be written straight to the output.
        direct_ = code_.root_direct && n % ops_.lanes == 0;
        execute(code_.per_tile, n, code_.mode == TileCode::kFlat ? at : at - row * code_.row);
        store(n);
      }
      at = row_end;
    }
  }

 private:
  void set(int slot, int32_t bits) {
    words_[slot] = bits;
    if (!code_.splat[static_cast<size_t>(slot)]) return;
    if (code_.scalar_types[static_cast<size_t>(slot)] == Type::b1) bits = -bits;
    int32_t* s = reinterpret_cast<int32_t*>(splats_ + static_cast<size_t>(slot) * kMaxVectorBytes);
    for (int i = 0; i < kMaxVectorBytes / 4; ++i) s[i] = bits;
  }
  void set(int slot, const Value& v) {
    set(slot, code_.scalar_types[static_cast<size_t>(slot)] == Type::f32
                  ? std::bit_cast<int32_t>(static_cast<float>(v.f))
                  : v.i);
  }
  uint32_t word(const TileOperand& x) const { return static_cast<uint32_t>(words_[x.slot]); }
  Value get(int slot) const {
    if (slot < 0) return {};
    const int32_t w = words_[slot];
    return code_.scalar_types[static_cast<size_t>(slot)] == Type::f32 ? Value{std::bit_cast<float>(w), 0} : Value{0, w};
  }

  /// The memory that vector slot's instruction writes.
  void* target(int slot) {
    void* p = direct_ && slot == code_.root.slot
                  ? static_cast<void*>(out_)
                  : places_ + static_cast<size_t>(code_.place[static_cast<size_t>(slot)]) * code_.place_bytes();
    pointers_[slot] = p;
    return p;
  }
  template <typename T>
  T* tile(int slot) {
    return static_cast<T*>(pointers_[slot]);
  }
  const void* operand(const TileOperand& x, uint32_t& step) const {
    if (x.scalar) {
      step = 0;
      return splats_ + static_cast<size_t>(x.slot) * kMaxVectorBytes;
    }
    step = 1;
    return pointers_[x.slot];
  }

  /// Sets the coordinates of the outer axes and runs the blocks of those that changed, and of all inside them.
  void start_row(int64_t row, bool first) {
    const int outer = static_cast<int>(code_.per_axis.size());
    int changed = first ? 0 : outer;
    int32_t at[8] = {};
    for (int d = outer - 1; d >= 0; --d) {
      const int64_t extent = code_.extents[static_cast<size_t>(d)];
      at[d] = static_cast<int32_t>(row % extent);
      row /= extent;
      // Rows come in order: an axis steps when all inside it are at 0 again.
      if (!first && (d == outer - 1 || at[d + 1] == 0) && changed == d + 1) changed = d;
    }
    for (int d = changed; d < outer; ++d) {
      if (const int slot = code_.row_axes[static_cast<size_t>(d)]; slot >= 0) set(slot, at[d]);
      execute(code_.per_axis[static_cast<size_t>(d)], 0, 0);
    }
  }

  void execute(const TileBlock& block, int n, int64_t at) {
    for (const TileInstr& i : block) {
      switch (i.kind) {
        case TileInstr::kScalarOp:
          // Index arithmetic, without the detour through double.
          if (i.operand_type == Type::i32 && i.op == ir::Op::kAdd) {
            set(i.dst, static_cast<int32_t>(word(i.in[0]) + word(i.in[1])));
            break;
          }
          if (i.operand_type == Type::i32 && i.op == ir::Op::kMul) {
            set(i.dst, static_cast<int32_t>(word(i.in[0]) * word(i.in[1])));
            break;
          }
          set(i.dst, ir::evaluate(i.op, i.operand_type, get(i.in[0].slot), get(i.in[1].slot), get(i.in[2].slot)));
          break;
        case TileInstr::kScalarLoad:
          scalar_load(i);
          break;
        case TileInstr::kBind:
          bind(i, n, at);
          break;
        case TileInstr::kPeriodic:
          periodic(i, n, at);
          break;
        case TileInstr::kStrided:
          strided(i, words_[i.in[0].slot] + i.stride * at, n);
          break;
        case TileInstr::kGather:
          gather(i, n);
          break;
        case TileInstr::kIota: {
          int32_t* out = static_cast<int32_t*>(target(i.dst));
          for (int k = 0; k < n; ++k) out[k] = static_cast<int32_t>(at) + k;
          break;
        }
        case TileInstr::kFlatAxis:
          flat_axis(i, n, at);
          break;
        case TileInstr::kVectorOp: {
          TileArgs a;
          a.n = n;
          for (int k = 0; k < 3 && i.in[k].slot >= 0; ++k) a.in[k] = operand(i.in[k], a.step[k]);
          a.out = target(i.dst);
          i.fn(a);
          break;
        }
        case TileInstr::kReduce:
          reduce(i, n, at);
          break;
      }
    }
  }

  // ---- Loads

  int64_t size_of_input(const TileInstr& i) const { return code_.input_sizes[static_cast<size_t>(i.input)]; }

  void scalar_load(const TileInstr& i) {
    const int64_t at = std::clamp<int64_t>(words_[i.in[0].slot], 0, size_of_input(i) - 1);
    with_elements(i.dtype, inputs_[static_cast<size_t>(i.input)], [&](auto* data, auto convert) {
      auto v = convert(data[at]);
      if (i.dtype == DType::kBool) v = v ? 1 : 0;
      set(i.dst, std::bit_cast<int32_t>(v));
    });
  }

  void bind(const TileInstr& i, int n, int64_t at) {
    const int64_t first = words_[i.in[0].slot] + at;
    const char* data = static_cast<const char*>(inputs_[static_cast<size_t>(i.input)]);
    if (first < 0 || first + n > size_of_input(i)) return strided(i, first, n);  // clamps
    if (n % ops_.lanes == 0) {
      pointers_[i.dst] = const_cast<char*>(data + first * 4);
    } else {  // instructions read whole vectors, and the input may end here
      std::memcpy(target(i.dst), data + first * 4, static_cast<size_t>(n) * 4);
    }
  }

  void strided(const TileInstr& i, int64_t first, int n) {
    const int64_t size = size_of_input(i);
    const int64_t last = first + i.stride * (n - 1);
    const bool inside = std::min(first, last) >= 0 && std::max(first, last) < size;
    void* to = target(i.dst);
    const void* from = inputs_[static_cast<size_t>(i.input)];
    if (inside && i.stride == 1 && i.dtype == DType::kBool) {
      return ops_.mask_from_bool(static_cast<int32_t*>(to), static_cast<const uint8_t*>(from) + first, n);
    }
    if (inside && i.stride == 1 && i.dtype == DType::kFloat16) {
      return ops_.f32_from_f16(static_cast<float*>(to), static_cast<const uint16_t*>(from) + first, n);
    }
    with_elements(i.dtype, from, [&](auto* data, auto convert) {
      auto* out = static_cast<decltype(convert(data[0]))*>(to);
      if (inside) {
        for (int k = 0; k < n; ++k) out[k] = convert(data[first + i.stride * k]);
      } else {
        for (int k = 0; k < n; ++k) out[k] = convert(data[std::clamp<int64_t>(first + i.stride * k, 0, size - 1)]);
      }
    });
  }

  void periodic(const TileInstr& i, int n, int64_t at) {
    const int64_t start = words_[i.in[0].slot];
    const int64_t size = size_of_input(i);
    const bool inside = start >= 0 && start + i.stride <= size;
    void* to = target(i.dst);
    with_elements(i.dtype, inputs_[static_cast<size_t>(i.input)], [&](auto* data, auto convert) {
      auto* out = static_cast<decltype(convert(data[0]))*>(to);
      const int period = static_cast<int>(std::min<int64_t>(i.stride, n));
      int64_t from = at % i.stride;
      for (int k = 0; k < period; ++k) {
        const int64_t index = start + from;
        out[k] = convert(data[inside ? index : std::clamp<int64_t>(index, 0, size - 1)]);
        if (++from == i.stride) from = 0;
      }
      // The rest repeats what is there, in stretches that double.
      for (int have = period; have < n; have *= 2) std::copy_n(out, std::min(have, n - have), out + have);
    });
  }

  void gather(const TileInstr& i, int n) {
    const uint32_t limit = static_cast<uint32_t>(size_of_input(i) - 1);
    const uint32_t* index = tile<uint32_t>(i.in[0].slot);
    void* to = target(i.dst);
    with_elements(i.dtype, inputs_[static_cast<size_t>(i.input)], [&](auto* data, auto convert) {
      auto* out = static_cast<decltype(convert(data[0]))*>(to);
      for (int k = 0; k < n; ++k) out[k] = convert(data[std::min(index[k], limit)]);
    });
  }

  void flat_axis(const TileInstr& i, int n, int64_t at) {
    int64_t inner = 1;
    for (size_t d = static_cast<size_t>(i.axis) + 1; d < code_.extents.size(); ++d) inner *= code_.extents[d];
    const int32_t extent = static_cast<int32_t>(code_.extents[static_cast<size_t>(i.axis)]);
    int32_t coordinate = static_cast<int32_t>(at / inner % extent);
    int64_t left = inner - at % inner;  // elements until the coordinate changes
    int32_t* out = static_cast<int32_t*>(target(i.dst));
    for (int k = 0; k < n;) {
      const int stop = static_cast<int>(std::min<int64_t>(n, k + left));
      for (; k < stop; ++k) out[k] = coordinate;
      left = inner;
      if (++coordinate == extent) coordinate = 0;
    }
  }

  void store(int n) {
    const TileOperand& root = code_.root;
    if (code_.out_dtype == DType::kBool) {
      uint8_t* out = reinterpret_cast<uint8_t*>(out_);
      if (root.scalar) {
        std::memset(out, words_[root.slot] ? 1 : 0, static_cast<size_t>(n));
      } else {
        ops_.bool_from_mask(out, tile<int32_t>(root.slot), n);
      }
    } else if (root.scalar) {
      std::fill_n(reinterpret_cast<int32_t*>(out_), n, words_[root.slot]);
    } else if (pointers_[root.slot] != static_cast<void*>(out_)) {
      std::memmove(out_, pointers_[root.slot], static_cast<size_t>(n) * 4);
    }
  }

  // ---- Reductions

  void reduce(const TileInstr& i, int n, int64_t at) {
    const TileLoop& loop = *i.loop;
    const int32_t extent = std::max(words_[loop.extent.slot], 0);
    switch (loop.mode) {
      case TileLoop::kAcross:
        return across(i, loop, extent, n, at);
      case TileLoop::kAlong:
        return along(i, loop, extent);
      case TileLoop::kScalar:
        return scalar(i, loop, extent);
    }
  }

  static ir::Op combiner(Reduce r) {
    switch (r) {
      case Reduce::sum:
        return ir::Op::kAdd;
      case Reduce::prod:
        return ir::Op::kMul;
      case Reduce::max:
        return ir::Op::kMax;
      case Reduce::min:
        return ir::Op::kMin;
      case Reduce::any:
        return ir::Op::kOr;
      default:
        return ir::Op::kAnd;
    }
  }
  /// The bits of the result over no elements, in a tile.
  static int32_t identity(Reduce r, Type t) {
    const bool f = t == Type::f32;
    switch (r) {
      case Reduce::prod:
        return f ? std::bit_cast<int32_t>(1.0f) : 1;
      case Reduce::max:
        return f ? std::bit_cast<int32_t>(-std::numeric_limits<float>::infinity())
                 : std::numeric_limits<int32_t>::min();
      case Reduce::min:
        return f ? std::bit_cast<int32_t>(std::numeric_limits<float>::infinity()) : std::numeric_limits<int32_t>::max();
      case Reduce::all:
        return -1;
      default:
        return 0;
    }
  }

  void across(const TileInstr& i, const TileLoop& loop, int32_t extent, int n, int64_t at) {
    const int padded = (n + ops_.lanes - 1) / ops_.lanes * ops_.lanes;
    const bool arg = loop.reduce == Reduce::argmax || loop.reduce == Reduce::argmin;
    const bool float_sum = loop.reduce == Reduce::sum && loop.type == Type::f32;
    // target() is asked again after the loop: pointers of outer slots do not move, but this keeps the order of writes
    // plain.
    int32_t* acc = static_cast<int32_t*>(target(i.dst));
    std::fill_n(acc, padded, identity(loop.reduce, loop.type));
    void* total = nullptr;
    float* lost = nullptr;
    if (arg || (float_sum && extent > kSumBlock)) {
      total = target(loop.aux[0]);
      lost = static_cast<float*>(target(loop.aux[1]));
      std::fill_n(static_cast<int32_t*>(total), padded, 0);
      std::fill_n(lost, padded, 0.0f);
    }
    const TileFn combine =
        arg ? nullptr : ops_.fn[static_cast<int>(combiner(loop.reduce))][static_cast<int>(loop.type)];
    const bool bound = !loop.result.scalar;
    int filled = 0;
    for (int32_t v = 0; v < extent; ++v) {
      set(loop.var, v);
      execute(loop.body, n, at);
      TileArgs a;
      a.n = n;
      a.out = acc;
      a.in[0] = acc;
      a.in[1] = operand(loop.result, a.step[1]);
      if (arg) {
        ops_.arg_step[loop.type == Type::i32][loop.reduce == Reduce::argmin](total, acc, a.in[1], bound ? 1 : 0, v, n);
        continue;
      }
      combine(a);
      if (float_sum && total && ++filled == kSumBlock) {
        ops_.kahan_add(static_cast<float*>(total), lost, reinterpret_cast<float*>(acc), 1, n);
        std::fill_n(acc, padded, 0);
        filled = 0;
      }
    }
    if (float_sum && total) {
      ops_.kahan_add(static_cast<float*>(total), lost, reinterpret_cast<float*>(acc), 1, n);
      std::memcpy(acc, total, static_cast<size_t>(n) * 4);
    }
    pointers_[i.dst] = acc;
  }

  /// Folds one value of the body into `acc` (scalars); f32 in double.
  struct Accumulator {
    Value acc;
    double best = 0;
  };
  static Accumulator first(Reduce r, Type t) {
    Accumulator a;
    const int32_t bits = identity(r, t);
    a.acc = t == Type::f32 ? Value{std::bit_cast<float>(bits), 0} : Value{0, t == Type::b1 ? -bits : bits};
    return a;
  }
  static void fold(Accumulator& a, Reduce r, Type t, const Value& v, int32_t at) {
    if (r == Reduce::argmax || r == Reduce::argmin) {
      const double x = t == Type::f32 ? v.f : v.i;
      const bool better = r == Reduce::argmax ? x > a.best : x < a.best;
      if (at == 0 || (a.best == a.best && (x != x || better))) a.best = x, a.acc = {0, at};
    } else {
      a.acc = ir::evaluate(combiner(r), t, a.acc, v, {});
    }
  }

  void along(const TileInstr& i, const TileLoop& loop, int32_t extent) {
    Accumulator a = first(loop.reduce, loop.type);
    const Type t = loop.type;
    // A nested program of tiles: output pointers are of no concern inside.
    const bool direct = std::exchange(direct_, false);
    for (int32_t at = 0; at < extent; at += kTile) {
      const int n = std::min(kTile, extent - at);
      execute(loop.body, n, at);
      if (loop.result.scalar) {
        const Value v = get(loop.result.slot);
        for (int k = 0; k < n; ++k) fold(a, loop.reduce, t, v, at + k);
        continue;
      }
      const int32_t* x = tile<int32_t>(loop.result.slot);
      const float* f = tile<float>(loop.result.slot);
      if (t == Type::f32 && loop.reduce == Reduce::sum) {
        a.acc.f += ops_.sum_f32(f, n);
      } else if (t == Type::f32 && (loop.reduce == Reduce::max || loop.reduce == Reduce::min)) {
        const float m = loop.reduce == Reduce::max ? ops_.max_f32(f, n) : ops_.min_f32(f, n);
        fold(a, loop.reduce, t, {m, 0}, at);
      } else if (t == Type::f32 && (loop.reduce == Reduce::argmax || loop.reduce == Reduce::argmin)) {
        const float m = loop.reduce == Reduce::argmax ? ops_.max_f32(f, n) : ops_.min_f32(f, n);
        const bool better = loop.reduce == Reduce::argmax ? m > a.best : m < a.best;
        if (at > 0 && (a.best != a.best || (m == m && !better))) continue;  // no element of this tile wins
        const int where =
            static_cast<int>(std::find_if(f, f + n, [m](float v) { return v == m || (v != v && m != m); }) - f);
        a.best = m;
        a.acc = {0, at + where};
      } else {
        for (int k = 0; k < n; ++k) {
          fold(a, loop.reduce, t, t == Type::f32 ? Value{f[k], 0} : Value{0, t == Type::b1 ? -x[k] : x[k]}, at + k);
        }
      }
    }
    direct_ = direct;
    set(i.dst, a.acc);
  }

  void scalar(const TileInstr& i, const TileLoop& loop, int32_t extent) {
    Accumulator a = first(loop.reduce, loop.type);
    for (int32_t v = 0; v < extent; ++v) {
      set(loop.var, v);
      execute(loop.body, 0, 0);
      fold(a, loop.reduce, loop.type, get(loop.result.slot), v);
    }
    set(i.dst, a.acc);
  }

  const TileCode& code_;
  const TileOps& ops_;
  std::span<const void* const> inputs_;
  int32_t* words_;
  std::byte* splats_;
  void** pointers_;
  std::byte* places_;
  std::byte* out_ = nullptr;
  bool direct_ = false;
};

}  // namespace

void TileProgram::run(std::span<const void* const> inputs, void* out, std::span<const ir::ParamValue> params,
                      int64_t begin, int64_t end, void* scratch) const {
  if (begin >= end) return;
  Run run(*code_, tile_ops(), inputs, static_cast<std::byte*>(scratch));
  run.start(params);
  run.range(static_cast<std::byte*>(out), begin, end);
}

}  // namespace tsr::simd
