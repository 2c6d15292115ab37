// In builds for one instruction set Highway's library is not linked (cmake/TesseraDependencies.cmake). What the tests ask it for.
#ifdef HWY_COMPILE_ONLY_STATIC
#include <hwy/highway.h>
#include <hwy/targets.h>

namespace hwy {

int64_t SupportedTargets() { return HWY_STATIC_TARGET; }
void SetSupportedTargetsForTest(int64_t) {}

}  // namespace hwy
#endif
