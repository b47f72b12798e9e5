#pragma once
/// Pieces of an HDF5 file, read without HDF5. Included by this module's sources only.
#include "civitas/io/files.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace civitas::hdf5 {

/// The address of what a file does not have.
constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

/// How the bytes of a file are read.
struct FileBytes {
    std::function<void(std::uint64_t offset, std::span<std::byte> out)> read;
    std::shared_ptr<const std::string> name;
    std::uint64_t size = 0;
};

/// `file` outlives what is made.
[[nodiscard]] FileBytes bytes_of(const io::RawFile& file);
/// Through a descriptor that somebody else has open, and keeps so.
[[nodiscard]] FileBytes bytes_of(int descriptor, const FileBytes& same_file);

/// A piece of the file as little-endian numbers. Whatever is read outside of it throws Error: the
/// file is damaged.
class Piece {
public:
    /// The bytes [offset, offset + size) of the file, read now.
    Piece(const FileBytes& file, std::uint64_t offset, std::size_t size);

    /// A piece of this one that begins at its byte `at`.
    [[nodiscard]] Piece part(std::size_t at, std::size_t size) const;

    /// The number in `width` bytes, 1 to 8.
    [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t width) const;
    template <class T>
    [[nodiscard]] T number(std::size_t at) const {
        return static_cast<T>(number(at, sizeof(T)));
    }
    [[nodiscard]] bool begins(std::string_view mark) const;
    /// Characters before the first zero byte from `at` on: throws without one.
    [[nodiscard]] std::size_t length_of_text(std::size_t at) const;
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Throws that the file is damaged here.
    [[noreturn]] void refuse() const;
    void require(bool sound) const {
        if (!sound) refuse();
    }

private:
    Piece() = default;

    std::shared_ptr<const std::vector<std::byte>> bytes_;
    std::shared_ptr<const std::string> name_;
    std::uint64_t offset_ = 0;  ///< in the file
    std::size_t begin_ = 0;     ///< in bytes_
    std::size_t size_ = 0;
};

/// Goes through a piece from its front to its end.
class Cursor {
public:
    explicit Cursor(Piece piece) : piece_(std::move(piece)) {}

    [[nodiscard]] std::uint64_t number(std::size_t width) {
        const std::uint64_t value = piece_.number(at_, width);
        at_ += width;
        return value;
    }
    [[nodiscard]] unsigned u8() { return static_cast<unsigned>(number(1)); }
    [[nodiscard]] unsigned u16() { return static_cast<unsigned>(number(2)); }
    [[nodiscard]] std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    [[nodiscard]] std::uint64_t u64() { return number(8); }
    [[nodiscard]] Piece take(std::uint64_t size) {
        piece_.require(size <= left());
        Piece taken = piece_.part(at_, static_cast<std::size_t>(size));
        at_ += taken.size();
        return taken;
    }
    void skip(std::uint64_t size) {
        piece_.require(size <= left());
        at_ += static_cast<std::size_t>(size);
    }
    /// A text and the zero behind it, which takes a multiple of `unit` bytes. Gives its length.
    std::size_t skip_text(std::size_t unit = 1) {
        const std::size_t length = piece_.length_of_text(at_);
        skip((length + unit) / unit * unit);
        return length;
    }
    [[nodiscard]] std::size_t left() const { return piece_.size() - at_; }
    void require(bool sound) const { piece_.require(sound); }

private:
    Piece piece_;
    std::size_t at_ = 0;
};

}  // namespace civitas::hdf5
