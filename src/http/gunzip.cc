#include "http/gunzip.h"

#include <cstdint>

#include <boost/beast/zlib/error.hpp>
#include <boost/beast/zlib/inflate_stream.hpp>
#include <boost/crc.hpp>

#include <fmt/format.h>

namespace tyer::http {
namespace {

namespace zlib = boost::beast::zlib;

// Deflate, and no flag: no name, no comment, no checksum of the head.
constexpr std::string_view magic("\x1f\x8b\x08\0", 4);
constexpr std::size_t head_bytes = 10;
constexpr std::size_t tail_bytes = 8;  // A checksum and the length.

// The lowest byte first.
std::uint32_t number_at(std::string_view text, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number |= std::uint32_t{static_cast<std::uint8_t>(text[at + i])} << (8 * i);
  }
  return number;
}

std::uint32_t checksum(std::string_view text) {
  boost::crc_32_type sum;
  sum.process_bytes(text.data(), text.size());
  return sum.checksum();
}

}  // namespace

Result<std::string> gunzip(std::string_view gzip, std::size_t bytes_max) {
  if (!gzip.starts_with(magic) || gzip.size() < head_bytes + tail_bytes) {
    return fail(Fault::broken, "this is not written by gzip -n");
  }
  const std::size_t length = number_at(gzip, gzip.size() - 4);
  if (length > bytes_max) {
    return fail(Fault::limit, fmt::format("{} bytes, at most {} are possible", length, bytes_max));
  }
  std::string plain(length + 1, '\0');  // One more, so that too much is seen.
  zlib::z_params step;
  step.next_in = gzip.data() + head_bytes;
  // With the tail: Beast tells the end of the stream only if something comes behind it.
  step.avail_in = gzip.size() - head_bytes;
  step.next_out = plain.data();
  step.avail_out = plain.size();
  zlib::inflate_stream stream;
  boost::beast::error_code error;
  stream.write(step, zlib::Flush::finish, error);
  const std::uint32_t sum = number_at(gzip, gzip.size() - tail_bytes);
  if (error != zlib::error::end_of_stream || step.total_out != length ||
      checksum({plain.data(), length}) != sum) {
    return fail(Fault::broken, "what gzip wrote is damaged");
  }
  plain.resize(length);
  return plain;
}

}  // namespace tyer::http
