#include "base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>
#include <random>

namespace kinetic {

std::string RandomBytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t done = 0; done < count;) {
    const ssize_t got = ::getrandom(bytes.data() + done, count - done, 0);
    // Without randomness, job ids are not unique.
    if (got < 0 && errno != EINTR) std::abort();
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string RandomId() {
  static constexpr char kAlphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
  std::string id;
  unsigned buffer = 0;
  unsigned bits = 0;
  for (const char c : RandomBytes(10)) {
    buffer = buffer << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 5; bits -= 5) id += kAlphabet[buffer >> (bits - 5) & 31];
  }
  return id;
}

std::uint64_t RandomBelow(std::uint64_t bound) {
  static thread_local std::mt19937_64 generator{std::random_device{}()};
  return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(generator);
}

}  // namespace kinetic
