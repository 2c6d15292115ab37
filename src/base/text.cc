#include "tessera/text.h"

#include <cstdio>

namespace tsr {

void Text::append(double number) {
  char digits[32];  // six digits, a sign, a point and an exponent are 13
  std::snprintf(digits, sizeof digits, "%g", number);
  text_ += digits;
}

}  // namespace tsr
