//===- Watch.cpp - The first value that is not finite ---------------------===//

#include "World.h"

#include <cstring>

namespace coconet::runtime {

namespace {

/// Index of the first element whose exponent bits are all set, else `count`.
/// Blocks are searched without exit, so that the loop is vectorised.
template <typename Bits>
int64_t findNonfinite(const void *data, int64_t count, Bits exponent) {
  const Bits *bits = static_cast<const Bits *>(data);
  constexpr int64_t block = 4096;
  for (int64_t start = 0; start < count; start += block) {
    int64_t end = count - start < block ? count : start + block;
    bool found = false;
    for (int64_t i = start; i < end; ++i)
      found |= (bits[i] & exponent) == exponent;
    if (!found)
      continue;
    for (int64_t i = start; i < end; ++i)
      if ((bits[i] & exponent) == exponent)
        return i;
  }
  return count;
}

/// How one float type stores what is not finite.
struct Format {
  const char *dtype;
  int bytes;
  uint64_t exponent, mantissa;
};

constexpr Format formats[] = {
    {"f16", 2, 0x7c00, 0x03ff},
    {"bf16", 2, 0x7f80, 0x007f},
    {"f32", 4, 0x7f800000, 0x007fffff},
    {"f64", 8, 0x7ff0000000000000, 0x000fffffffffffff}};

int64_t findNonfinite(const Format &format, const void *data, int64_t count) {
  if (format.bytes == 2)
    return findNonfinite<uint16_t>(data, count, format.exponent);
  if (format.bytes == 4)
    return findNonfinite<uint32_t>(data, count, format.exponent);
  return findNonfinite<uint64_t>(data, count, format.exponent);
}

/// "nan", "inf" or "-inf".
std::string nameOf(const Format &format, const void *data, int64_t index) {
  uint64_t bits = 0;
  memcpy(&bits, static_cast<const char *>(data) + index * format.bytes,
         format.bytes);
  if (bits & format.mantissa)
    return "nan";
  return bits & ~(format.exponent | format.mantissa) ? "-inf" : "inf";
}

} // namespace

} // namespace coconet::runtime

using namespace coconet::runtime;

void coconet_rt_check_finite(coconet_rank *rank, const char *site,
                             const char *dtype, const void *data,
                             int64_t count) {
  for (const Format &format : formats) {
    if (strcmp(format.dtype, dtype) != 0)
      continue;
    int64_t index = findNonfinite(format, data, count);
    if (index == count)
      return;
    fail(*rank, [&] {
      Site parsed;
      parseSite(site, parsed);
      return describe(parsed) + " is not finite on rank " +
             std::to_string(rank->id) + ": element " + std::to_string(index) +
             " of " + std::to_string(count) + " is " +
             nameOf(format, data, index);
    });
  }
}
