#include "runtime/warm.h"

#include <cstring>

#include "graph/group.h"

namespace tsr {
namespace {

Ref<HostBuffer> zeros(const TensorType& type) {
  Ref<HostBuffer> bytes(new HostBuffer(static_cast<size_t>(type.shape.size()) * size_of(type.dtype)));
  std::memset(bytes->data(), 0, bytes->size());
  return bytes;
}

void warm(Device& device, const WarmWork& work, const Deadline& deadline) {
  std::vector<TensorType> results;
  infer_types(*work.op, work.inputs, work.attrs, results);
  Group group = single_op_group(*work.op, work.attrs, work.inputs, results.at(0));
  std::vector<Ref<HostBuffer>> memory;
  std::vector<BufferView> operands;
  for (size_t i = 0; i < work.inputs.size(); ++i) {
    memory.push_back(zeros(work.inputs[i]));
    operands.push_back({memory.back()->data(), nullptr});
    if (i + work.constants < work.inputs.size()) continue;
    group.operands[i].constant = Ref<Storage>(new Storage(work.inputs[i].dtype, work.inputs[i].shape.size()));
    group.operands[i].constant->set_host(memory.back());
    group.operands[i].constant->constant = true;
  }
  const std::unique_ptr<Launch> launch = device.compile(group);
  const Ref<HostBuffer> out = zeros(results[0]), scratch(new HostBuffer(launch->scratch_bytes()));
  for (int i = 0; i < work.times && !deadline.passed(); ++i) launch->run(operands, {out->data(), nullptr}, scratch->data());
}

}  // namespace

void warm_kernels(Device& device, std::span<const WarmWork> works, const Deadline& deadline) {
  if (!device.is_host()) return;
  for (const WarmWork& work : works) {
    if (deadline.passed()) return;
    warm(device, work, deadline);
  }
}

}  // namespace tsr
