#include "piece.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/base/unreadable.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace civitas::hdf5 {

FileBytes bytes_of(const io::RawFile& file) {
    return {[&file](std::uint64_t offset, std::span<std::byte> out) { file.read_at(offset, out); },
            std::make_shared<const std::string>(file.name().string()), file.size()};
}

FileBytes bytes_of(int descriptor, const FileBytes& same_file) {
    const auto read = [=, name = same_file.name](std::uint64_t offset, std::span<std::byte> out) {
        while (!out.empty()) {
            const ssize_t n =
                ::pread(descriptor, out.data(), out.size(), static_cast<off_t>(offset));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0)
                throw UnreadableError(text("reading ", std::filesystem::path(*name), " at byte ",
                                           offset, ": ", system_error()));
            if (n == 0)
                throw Error(text(std::filesystem::path(*name), " has no byte ", offset,
                                 " by now: it has become shorter"),
                            Hint{"copy or make the file again"});
            out = out.subspan(static_cast<std::size_t>(n));
            offset += static_cast<std::uint64_t>(n);
        }
    };
    return {read, same_file.name, same_file.size};
}

Piece::Piece(const FileBytes& file, std::uint64_t offset, std::size_t size)
    : name_(file.name), offset_(offset), size_(size) {
    if (offset > file.size || size > file.size - offset) refuse();
    std::vector<std::byte> bytes(size);
    file.read(offset, bytes);
    bytes_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

Piece Piece::part(std::size_t at, std::size_t size) const {
    if (at > size_ || size > size_ - at) refuse();
    Piece made = *this;
    made.offset_ += at;
    made.begin_ += at;
    made.size_ = size;
    return made;
}

std::uint64_t Piece::number(std::size_t at, std::size_t width) const {
    if (at > size_ || width > size_ - at) refuse();
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;)
        value = value << 8U | static_cast<std::uint64_t>((*bytes_)[begin_ + at + i]);
    return value;
}

bool Piece::begins(std::string_view mark) const {
    return size_ >= mark.size() &&
           std::memcmp(bytes_->data() + begin_, mark.data(), mark.size()) == 0;
}

std::size_t Piece::length_of_text(std::size_t at) const {
    if (at > size_) refuse();
    const auto* first = bytes_->data() + begin_ + at;
    const auto* last = bytes_->data() + begin_ + size_;
    const auto* end = std::find(first, last, std::byte{0});
    if (end == last) refuse();
    return static_cast<std::size_t>(end - first);
}

void Piece::refuse() const {
    throw Error(text(std::filesystem::path(*name_), ": the HDF5 structure at byte ", offset_,
                     " is damaged, or of a form that is not read here"),
                Hint{"copy or make the file again; if it is whole: h5repack -f GZIP=4 FILE NEW"});
}

}  // namespace civitas::hdf5
