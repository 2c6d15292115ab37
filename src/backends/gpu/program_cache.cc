#include "backends/gpu/program_cache.h"

#include <utility>
#include <vector>

#include "backends/gpu/words.h"
#include "base/error.h"

namespace tsr::gpu {

ProgramCache::~ProgramCache() {
  for (const Entry& e : lru_) driver_->destroy_program(e->id);
}

std::shared_ptr<const Program> ProgramCache::get(const ir::Kernel& kernel, uint32_t epoch) {
  const uint64_t hash = ir::structural_hash(kernel);
  const auto [first, last] = index_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (!ir::same_structure((*it->second)->kernel, kernel)) continue;
    lru_.splice(lru_.begin(), lru_, it->second);
    return lru_.front();
  }

  const Limits& limits = driver_->limits();
  if (kernel.inputs.size() > limits.max_inputs) {
    fail(ErrorCode::kUnsupported, "[", kernel.name, "] reads ", kernel.inputs.size(), " tensors at once, but this GPU allows ",
         limits.max_inputs);
  }
  ir::verify(kernel);
  const emit::Shader shader = target_->emit(kernel);
  const auto words = static_cast<uint32_t>(shader.layout.words);
  if (words > limits.max_uniform_words) {
    fail(ErrorCode::kUnsupported, "[", kernel.name, "] needs ", words,
         " words of shapes and parameters, but this GPU allows ", limits.max_uniform_words);
  }
  std::vector<Element> inputs;
  for (const ir::KernelInput& in : kernel.inputs) inputs.push_back(element_of(in.dtype));

  Program program{.id = next_id_++, .epoch = epoch, .layout = shader.layout, .kernel = kernel};
  driver_->create_program(program.id, {.text = shader.text, .uniform_words = words, .inputs = inputs});
  lru_.push_front(std::make_shared<const Program>(std::move(program)));
  index_.emplace(hash, lru_.begin());
  return lru_.front();
}

void ProgramCache::trim() {
  if (lru_.size() <= kMaxPrograms) return;
  for (auto it = std::prev(lru_.end()); it != lru_.begin() && lru_.size() > kMaxPrograms;) {
    const auto entry = it--;
    if (entry->use_count() > 1) continue;  // a launch holds it
    const auto [first, last] = index_.equal_range(ir::structural_hash((*entry)->kernel));
    for (auto i = first; i != last; ++i) {
      if (i->second != entry) continue;
      index_.erase(i);
      break;
    }
    driver_->destroy_program((*entry)->id);
    lru_.erase(entry);
  }
}

void ProgramCache::forget() {
  lru_.clear();
  index_.clear();
}

}  // namespace tsr::gpu
