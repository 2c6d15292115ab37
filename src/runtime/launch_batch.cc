#include "runtime/launch_batch.h"

#include <chrono>
#include <new>

namespace tsr {

std::span<BufferView> LaunchBatch::add(Launch* launch, size_t operands, BufferView out) {
  const size_t first = views_.size();
  views_.resize(first + operands);
  items_.push_back({launch, first, operands, out});
  return std::span(views_).subspan(first);
}

void LaunchBatch::run() {
  const auto start = std::chrono::steady_clock::now();
  for (const Item& item : items_) {
    if (cancelled_.load(std::memory_order_relaxed)) break;
    try {
      if (item.launch) item.launch->run(std::span<const BufferView>(views_).subspan(item.first, item.count), item.out, scratch_);
    } catch (const Error& e) {
      error_ = std::make_shared<Error>(e);
      break;
    } catch (const std::bad_alloc&) {
      error_ = std::make_shared<Error>(ErrorCode::kOutOfMemory, "out of memory");
      break;
    } catch (const std::exception& e) {
      error_ = std::make_shared<Error>(ErrorCode::kInternal, str("internal fault: ", e.what()));
      break;
    }
    ++completed_;
  }
  ms_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace tsr
