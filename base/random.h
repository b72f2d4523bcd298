// Randomness as an injected dependency.
#pragma once

#include <cstdint>
#include <random>

namespace mayfly::base {

// Not thread-safe: one instance per thread, or guarded by its owner.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // Seeded from the operating system.
  static Random FromSystem();
  uint64_t NextU64() { return engine_(); }
  // Uniform in [0, n), n > 0.
  uint64_t Below(uint64_t n) { return std::uniform_int_distribution<uint64_t>(0, n - 1)(engine_); }
  // Uniform in [0, 1).
  double NextDouble() { return static_cast<double>(NextU64() >> 11) * 0x1.0p-53; }
  void Fill(void* out, size_t size);

 private:
  std::mt19937_64 engine_;
};

}  // namespace mayfly::base
