// Adds two tensors and prints the sum: "11 22 33".
#include <tessera/ops.h>
#include <tessera/tensor.h>

#include <cstdio>
#include <vector>

int main() {
  const tsr::Tensor a = tsr::Tensor::from(std::vector<float>{1, 2, 3}, {3});
  const tsr::Tensor b = tsr::Tensor::from(std::vector<float>{10, 20, 30}, {3});
  const std::vector<float> sum = tsr::add(a, b).to_vector<float>();
  std::printf("%g %g %g\n", sum.at(0), sum.at(1), sum.at(2));
}
