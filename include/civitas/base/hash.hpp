#pragma once
/// Hashes: of files (XXH3-128, as stored in `/sources`) and of arrays (the order-free checksum of
/// checkpoints, which is also a run's fingerprint).
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace civitas {

/// XXH3-128 of bytes that come in parts.
class RunningHash {
public:
    RunningHash();
    RunningHash(RunningHash&&) noexcept;
    RunningHash& operator=(RunningHash&&) = delete;
    RunningHash(const RunningHash&) = delete;
    RunningHash& operator=(const RunningHash&) = delete;
    ~RunningHash();

    void add(std::span<const std::byte> bytes);
    /// The hash of all bytes that came so far, as 32 hex digits.
    [[nodiscard]] std::string digits() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// XXH3-64 of bytes that come after those whose hash is `before`.
[[nodiscard]] std::uint64_t hash_of(std::span<const std::byte> bytes,
                                    std::uint64_t before) noexcept;

/// XXH3-128 of a file's bytes as 32 hex digits. Throws Error when the file cannot be read.
[[nodiscard]] std::string hash_file(const std::filesystem::path& file);

/// FNV-1a of a name: 64 bits.
[[nodiscard]] std::uint64_t name_hash(std::string_view name) noexcept;

/// Finaliser of SplitMix64 over an element's number and bits.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t element, std::uint64_t bits) noexcept {
    std::uint64_t x = (element + 1) * 0x9e3779b97f4a7c15ULL ^ bits;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// Sum of mix64(first + i, bits of values[i]) mod 2^64: sums over parts add up to that of the
/// whole.
[[nodiscard]] std::uint64_t checksum(std::uint64_t first, std::span<const float> values) noexcept;
[[nodiscard]] std::uint64_t checksum(std::uint64_t first, std::span<const double> values) noexcept;

/// A number as 16 hex digits.
[[nodiscard]] std::string hex(std::uint64_t value);

}  // namespace civitas
