#pragma once
/// Messages in the wire format of Protocol Buffers
/// (https://protobuf.dev/programming-guides/encoding).
#include <cstdint>
#include <string>
#include <string_view>

namespace civitas::run_report {

/// A message in the making; fields go by their numbers.
class Message {
public:
    Message& integer(std::uint32_t field, std::uint64_t value);
    Message& real(std::uint32_t field, double value);
    Message& real(std::uint32_t field, float value);
    /// Texts, bytes and messages within a message.
    Message& words(std::uint32_t field, std::string_view bytes);
    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

private:
    void varint(std::uint64_t value);

    std::string bytes_;
};

}  // namespace civitas::run_report
