// The compiled form of a tile program: blocks of instructions over scalar and vector slots. Shared by the compiler and
// the executor.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/shape.h"
#include "core/dtype.h"
#include "ir/kernel.h"
#include "simd/tile_ops.h"

namespace tsr::simd {

/// Where an instruction reads: a scalar slot (one value for the whole tile) or a vector slot (a tile).
struct TileOperand {
  int slot = -1;
  bool scalar = false;
};

struct TileLoop;

struct TileInstr {
  enum Kind : uint8_t {
    kScalarOp,    ///< dst scalar = op(in...)
    kScalarLoad,  ///< dst scalar = input[in[0]]
    kBind,        ///< dst vector = the input's own memory from in[0] + position: a pointer, nothing is copied
    kPeriodic,  ///< dst vector = input[in[0] + (position + lane) % period], widened: an input repeated along outer axes
                ///< (kFlat)
    kStrided,   ///< dst vector = input[in[0] + stride * (position + lane)], widened
    kGather,    ///< dst vector = input[in[0] lane by lane], widened
    kIota,      ///< dst vector = position + lane
    kFlatAxis,  ///< dst vector = coordinate `axis` of output element position + lane
    kVectorOp,  ///< dst vector = fn(in...)
    kReduce,    ///< dst = loop
  };
  Kind kind = kScalarOp;
  ir::Op op = ir::Op::kConst;
  ir::Type operand_type = ir::Type::f32;  ///< of the last operand
  DType dtype = DType::kFloat32;          ///< of the input read
  int dst = -1;
  int input = -1;
  int axis = 0;
  int64_t stride = 1;  ///< kPeriodic: the period
  TileFn fn = nullptr;
  TileOperand in[3];
  std::unique_ptr<TileLoop> loop;
};

using TileBlock = std::vector<TileInstr>;

struct TileLoop {
  enum Mode : uint8_t {
    kAcross,  ///< every lane folds for itself; the variable is a scalar
    kAlong,   ///< lanes are steps of the variable; the result is a scalar
    kScalar,  ///< neither: the body is scalar (it may hold further loops)
  };
  Mode mode = kAcross;
  ir::Reduce reduce = ir::Reduce::sum;
  ir::Type type = ir::Type::f32;  ///< of the body
  TileOperand extent;
  TileOperand result;     ///< of the body
  int var = -1;           ///< scalar slot, except kAlong
  int aux[2] = {-1, -1};  ///< kAcross: vector slots for a sum's total and its lost digits, or an extreme's value
  TileBlock body;
};

struct TileCode {
  enum Mode : uint8_t { kRows, kFlat, kSingle };

  std::string name;
  Mode mode = kRows;
  std::vector<int64_t> extents;  ///< of the output axes after merging, outermost first
  int64_t size = 0;              ///< output elements
  int64_t row = 1;               ///< elements in a row: the innermost extent (kRows), all (kFlat), 1 (kSingle)
  DType out_dtype = DType::kFloat32;

  TileBlock once, per_tile;
  std::vector<TileBlock> per_axis;  ///< by outer axis: what runs when its coordinate changes, outermost first
  TileOperand root;
  bool root_direct = false;  ///< the instruction that makes the root may write to the output's memory

  struct Init {
    int slot;
    uint32_t bits;
  };
  struct Param {
    int slot;
    int param;
  };
  std::vector<Init> constants;
  std::vector<Param> params;
  std::vector<int> row_axes;  ///< scalar slot of each outer axis, or -1

  std::vector<ir::Type> scalar_types;
  std::vector<bool> splat;  ///< scalar slots that vector instructions read
  std::vector<int> place;   ///< vector slot -> tile of scratch
  int places = 0;
  std::vector<int64_t> input_sizes;
  double cost = 1;

  size_t scalar_bytes() const { return (scalar_types.size() * 4 + 63) / 64 * 64; }
  size_t splat_bytes() const { return scalar_types.size() * kMaxVectorBytes; }
  size_t place_bytes() const { return kTile * 4 + kMaxVectorBytes; }
  size_t pointer_bytes() const { return (place.size() * sizeof(void*) + 63) / 64 * 64; }
};

}  // namespace tsr::simd
