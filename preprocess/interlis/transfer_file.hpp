#pragma once
/// The bytes and lines of a transfer file, streamed.
#include <cpl_vsi.h>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace civitas::interlis {

/// A file by GDAL's name (a path, /vsizip/...) and by the one that people know.
struct FileName {
    std::string name;
    std::string label;
};

class TransferFile {
public:
    /// Throws Error when it cannot be opened.
    explicit TransferFile(const FileName& file);
    /// Fills the buffer as far as the file goes; the number of bytes. Throws Error when a byte
    /// cannot be read (a damaged zip).
    [[nodiscard]] std::size_t read(std::span<char> buffer);

private:
    std::string label_;
    std::unique_ptr<VSILFILE, int (*)(VSILFILE*)> file_;
};

/// What the file begins with, at most so many bytes.
[[nodiscard]] std::string beginning_of(const FileName& file, std::size_t most);

/// Lines that end with LF or CR LF, numbered from 1.
class LineReader {
public:
    explicit LineReader(const FileName& file) : file_(file), buffer_(std::size_t{1} << 16) {}
    /// False at the end of the file. Throws Error for a line that no transfer has, by its length.
    [[nodiscard]] bool next(std::string& line);
    [[nodiscard]] std::int64_t number() const { return number_; }

private:
    [[nodiscard]] bool fill();

    TransferFile file_;
    std::vector<char> buffer_;
    std::string_view left_;  ///< of the buffer
    std::int64_t number_ = 0;
};

/// Throws Error that says where a file is damaged.
[[noreturn]] void refuse_damage(const FileName& file, std::int64_t line, const std::string& what);

/// Where and why a file ends too early, as a warning for whom that is to be borne.
[[nodiscard]] std::string break_off(const FileName& file, std::int64_t line,
                                    const std::string& what);

/// A number of metres, with white space around it or a sign. Throws Error for what is none, without
/// the place.
[[nodiscard]] double metres_in(std::string_view word);

}  // namespace civitas::interlis
