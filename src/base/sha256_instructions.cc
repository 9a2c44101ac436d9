#include "base/sha256_instructions.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace kinetic {

#if defined(__x86_64__)
namespace {

constexpr std::size_t kWordsOfARegister = 4;
constexpr std::size_t kGroups = 16;  // of four rounds each

// clang-format off
alignas(16) constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
// clang-format on

const __m128i* Register(const void* memory) { return static_cast<const __m128i*>(memory); }

/// A state as the instructions want it: words f e b a, and words h g d c.
struct Halves {
  __m128i abef;
  __m128i cdgh;
};

[[gnu::target("sha,sse4.1")]] inline Halves Load(const Sha256State& state) {
  constexpr int kPairs = 0xB1;
  constexpr int kReversed = 0x1B;
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(Register(state.data())), kPairs);
  const __m128i hgfe =
      _mm_shuffle_epi32(_mm_loadu_si128(Register(state.data() + kWordsOfARegister)), kReversed);
  return {_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xF0)};
}

[[gnu::target("sha,sse4.1")]] inline void Store(const Halves& halves, Sha256State& state) {
  constexpr int kPairs = 0xB1;
  constexpr int kReversed = 0x1B;
  const __m128i feba = _mm_shuffle_epi32(halves.abef, kReversed);
  const __m128i dchg = _mm_shuffle_epi32(halves.cdgh, kPairs);
  auto* out = reinterpret_cast<__m128i*>(state.data());
  _mm_storeu_si128(out, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(out + 1, _mm_alignr_epi8(dchg, feba, 8));
}

/// The four words of the message that group `group` takes; `words` are those of the groups before.
[[gnu::target("sha,sse4.1")]] inline __m128i Message(__m128i (&words)[4], std::size_t group,
                                                     const char* block) {
  if (group < 4) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i bytes = _mm_loadu_si128(Register(block + sizeof(__m128i) * group));
    return words[group] = _mm_shuffle_epi8(bytes, big_endian);
  }
  const __m128i last = words[(group + 3) % 4];
  __m128i next = _mm_sha256msg1_epu32(words[group % 4], words[(group + 1) % 4]);
  next = _mm_add_epi32(next, _mm_alignr_epi8(last, words[(group + 2) % 4], 4));
  return words[group % 4] = _mm_sha256msg2_epu32(next, last);
}

template <std::size_t kStates>
[[gnu::target("sha,sse4.1")]] inline void CompressBlock(std::array<Halves, kStates>& states,
                                                        const char* block) {
  const std::array<Halves, kStates> before = states;
  __m128i words[4];
#pragma GCC unroll 16
  for (std::size_t group = 0; group < kGroups; ++group) {
    const __m128i constants =
        _mm_load_si128(Register(kRoundConstants.data() + kWordsOfARegister * group));
    const __m128i two = _mm_add_epi32(Message(words, group, block), constants);
    const __m128i next_two = _mm_shuffle_epi32(two, 0x0E);
    for (auto& [abef, cdgh] : states) cdgh = _mm_sha256rnds2_epu32(cdgh, abef, two);
    for (auto& [abef, cdgh] : states) abef = _mm_sha256rnds2_epu32(abef, cdgh, next_two);
  }
  for (std::size_t i = 0; i < kStates; ++i) {
    states[i].abef = _mm_add_epi32(states[i].abef, before[i].abef);
    states[i].cdgh = _mm_add_epi32(states[i].cdgh, before[i].cdgh);
  }
}

}  // namespace

bool HasSha256Instructions() {
  static const bool kHas = [] {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    const bool sse = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_1) != 0;
    return sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
  }();
  return kHas;
}

[[gnu::target("sha,sse4.1")]] void CompressSha256(Sha256State& state, const char* blocks,
                                                  std::size_t count) {
  std::array<Halves, 1> states = {Load(state)};
  for (; count > 0; --count, blocks += kSha256BlockBytes) CompressBlock(states, blocks);
  Store(states[0], state);
}

[[gnu::target("sha,sse4.1")]] void CompressSha256(Sha256State& one, Sha256State& other,
                                                  const char* blocks, std::size_t count) {
  std::array<Halves, 2> states = {Load(one), Load(other)};
  for (; count > 0; --count, blocks += kSha256BlockBytes) CompressBlock(states, blocks);
  Store(states[0], one);
  Store(states[1], other);
}

#else

bool HasSha256Instructions() { return false; }
void CompressSha256(Sha256State&, const char*, std::size_t) { std::abort(); }
void CompressSha256(Sha256State&, Sha256State&, const char*, std::size_t) { std::abort(); }

#endif

}  // namespace kinetic
