#include "base/id.h"

#include <fmt/format.h>

namespace tyer {
namespace {

constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

std::uint64_t millis(Time now) {
  const std::int64_t micros = to_micros(now);
  return micros < 0 ? 0 : static_cast<std::uint64_t>(micros / 1000) & 0xFFFF'FFFF'FFFFU;
}

}  // namespace

std::string uuid7(Time now, const RandomBits& random) {
  const std::uint64_t time = millis(now);
  const unsigned a = (static_cast<unsigned>(random[0]) << 8U | random[1]) & 0x0FFFU;
  const unsigned b = ((static_cast<unsigned>(random[2]) << 8U | random[3]) & 0x3FFFU) | 0x8000U;
  return fmt::format("{:08x}-{:04x}-7{:03x}-{:04x}-{:02x}{:02x}{:02x}{:02x}{:02x}{:02x}",
                     time >> 16U, time & 0xFFFFU, a, b, random[4], random[5], random[6], random[7],
                     random[8], random[9]);
}

std::string sortable_id(std::string_view prefix, Time now, const RandomBits& random) {
  std::string id(prefix);
  const std::uint64_t time = millis(now);
  for (unsigned shift = 50; shift > 0; shift -= 5) id += alphabet[time >> (shift - 5) & 31U];
  // 80 bits are two groups of five bytes, eight characters each.
  for (std::size_t group = 0; group < random.size(); group += 5) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 5; ++i) bits = bits << 8U | random[group + i];
    for (unsigned shift = 40; shift > 0; shift -= 5) id += alphabet[bits >> (shift - 5) & 31U];
  }
  return id;
}

}  // namespace tyer
