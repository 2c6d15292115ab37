// What the host reports about GPUs.
#include "tessera/tessera.h"

extern "C" {

// Drivers are polled (GpuDriver::poll_read, GpuDriver::lost), so these two only mark the moments: a host calls them to say that
// polling a waiting ticket is worth while now.
void tsr_gpu_read_done(int, int) {}
void tsr_gpu_lost(int) {}

}  // extern "C"
