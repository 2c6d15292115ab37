// Chain: a group of elementwise ops run tile by tile, each op by its ahead-of-time code, intermediate values in the L1 cache.
//
// Operands are whole tensors of the result's shape, single elements, or columns: one value for each index of the innermost axis
// ([C] or [1, ..., 1, C]), which are laid out repeatedly so that every op sees neighbouring elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/cpu/emitted.h"
#include "core/op_def.h"
#include "graph/group.h"
#include "runtime/device.h"

namespace tsr::cpu {

class Chain {
 public:
  /// Null when an op has no ahead-of-time code for its dtypes, or an operand has another shape.
  static std::unique_ptr<Chain> compile(const Group& group);

  /// Bytes that run() needs as scratch, 64-aligned; 0 for a single op without columns.
  size_t scratch_bytes() const { return scratch_bytes_; }
  /// Computes elements [begin, end) of the result, in row-major order, into out[begin, end). `operands` in the group's order; `out`
  /// may be the memory of a whole-tensor operand of equal element size. Allocates nothing. Threads need a scratch each.
  void run(std::span<const BufferView> operands, std::byte* out, int64_t begin, int64_t end, std::byte* scratch) const;
  /// To be called before each run over all of the result, when no other thread runs it. Once enough has been computed, it has the
  /// whole chain emitted as WebAssembly, where the build can.
  void warm();
  /// Takes the runtime attributes of a group of the same structure.
  void update(const Group& group);
  /// A whole-tensor operand that the result may overwrite, or -1.
  int in_place_operand() const { return in_place_; }
  bool emitted() const { return emitted_ != nullptr; }
  int64_t size() const { return out_.shape.size(); }
  size_t ops() const { return steps_.size(); }

 private:
  static constexpr size_t kMaxInputs = 4;
  struct Source {
    enum class Kind : uint8_t { kWhole, kSingle, kColumn, kTemporary };
    Kind kind = Kind::kWhole;
    uint32_t index = 0;    // of the operand; kColumn: of the column; kTemporary: the place in scratch
    uint32_t element = 0;  // bytes
  };
  struct Step {
    ElementwiseFn fn = nullptr;
    Attrs attrs;
    std::vector<Source> sources;
    std::vector<uint8_t> steps;  // as ElementwiseArgs wants them
    std::vector<DType> dtypes;
    DType out_dtype = DType::kFloat32;
    uint32_t place = 0;  // of the result, when it is not the last
    const char* name = "";
  };
  struct Column {
    uint32_t operand = 0;
    size_t element = 4;  // bytes
    size_t offset = 0;   // in scratch
  };

  struct Places;  // of intermediate values, while compiling

  bool add_node(const Group& group, size_t i, Places& places);
  void run_steps(std::span<const BufferView> operands, std::byte* out, int64_t begin, int64_t end, std::byte* scratch, bool direct) const;
  int64_t run_emitted(std::span<const BufferView> operands, std::byte* out, int64_t begin, int64_t end, std::byte* scratch, bool direct) const;
  const void* source(const Source& s, std::span<const BufferView> operands, int64_t at, std::byte* scratch, bool direct) const;
  void take_params(const ir::Kernel& kernel);

  TensorType out_;
  std::vector<Step> steps_;
  std::vector<Source> operands_;  // of the group, in its order; one that no step reads is whole or single
  std::vector<Column> columns_;
  int64_t row_ = 1;  // elements of the innermost axis
  size_t places_offset_ = 0, scratch_bytes_ = 0;
  int in_place_ = -1;
  Group group_;           // what emitting needs; without the weights
  int64_t done_ = 0;      // elements times ops so far
  bool settled_ = false;  // emitted, or found not to be worth it
  std::unique_ptr<EmittedFunction> emitted_;
  std::vector<uint32_t> params_;  // of the emitted function
};

}  // namespace tsr::cpu
