#include "runtime/device.h"

#include <algorithm>
#include <chrono>
#include <map>


namespace tsr {
namespace {

struct Entry {
  DeviceFactory factory;
  std::unique_ptr<Device> device;
};

std::map<std::string, Entry, std::less<>>& devices() {
  static std::map<std::string, Entry, std::less<>> map;
  return map;
}

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void register_device(const std::string& name, DeviceFactory factory) { devices()[name].factory = std::move(factory); }

Device& get_device(const std::string& name) {
  const auto it = devices().find(name);
  if (it == devices().end()) {
    std::string have;
    for (const auto& [n, e] : devices()) have += (have.empty() ? "" : ", ") + n;
    fail(ErrorCode::kUnsupported, "device '", name, "' is not part of this build; available: ", have.empty() ? "none" : have);
  }
  if (!it->second.device) it->second.device = it->second.factory();
  return *it->second.device;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : devices()) names.push_back(name);
  return names;
}

Deadline Deadline::after_ms(double ms) {
  Deadline d;
  d.at_ = now_ms() + ms;
  return d;
}

double Deadline::left_ms() const { return std::max(0.0, at_ - now_ms()); }

bool Deadline::passed() const { return at_ >= 0 && now_ms() >= at_; }

}  // namespace tsr
