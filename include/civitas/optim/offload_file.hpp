#pragma once
/// Memory on a disk: arrays in a file that has no name, of which little is in memory at a time.
#include "civitas/base/numbers.hpp"
#include "civitas/base/offload.hpp"
#include "civitas/base/signals.hpp"

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

namespace civitas::optim {

/// A file that is mapped into memory as a whole and ends with the process, however that ends. Its
/// arrays are tensors like others; what they hold comes into memory where it is touched, and leaves
/// it by let_go() alone.
class OffloadFile {
public:
    /// Takes the room of so many arrays with `bytes` in all on the disk of `folder`, so that none
    /// can be lacking later. Throws Error where there is too little, or where no file can be made.
    /// `window`: bytes of an array, a multiple of what a page has, that walk() has in memory.
    OffloadFile(const std::filesystem::path& folder, std::int64_t bytes, int arrays,
                std::int64_t window = offload_window_bytes);
    OffloadFile(const OffloadFile&) = delete;
    OffloadFile& operator=(const OffloadFile&) = delete;
    ~OffloadFile() = default;

    /// A flat array of zeros, valid as long as it is referred to. Precondition: it has room.
    [[nodiscard]] at::Tensor zeros(std::int64_t elements, at::ScalarType type);

    /// Begins to read a part of an array from the disk; what lies elsewhere is left alone.
    void read_ahead(const at::Tensor& part) const;
    /// Begins to write a part of an array to the disk, and takes it out of memory; the values stay.
    /// What lies elsewhere is left alone.
    void let_go(const at::Tensor& part) const;

    [[nodiscard]] std::int64_t window() const noexcept { return window_; }
    /// Whether the folder is itself in memory: a tmpfs.
    [[nodiscard]] bool is_in_memory() const;

private:
    /// A part of an array as whole pages: their place in memory and in the file.
    struct Pages {
        std::byte* begin = nullptr;
        std::int64_t offset = 0;
        std::size_t bytes = 0;
    };
    [[nodiscard]] Pages pages_of(const at::Tensor& part) const;

    Descriptor file_;
    std::shared_ptr<std::span<std::byte>> mapped_;
    std::int64_t window_;
    std::int64_t used_ = 0;
};

/// Calls `work` with one run of the elements of `arrays` after the other, counted from 0. The
/// arrays are flat, of one size and type. Of those that lie in `file` the next run is read ahead,
/// and the one behind is let go. Where there is no file all elements are one run.
void walk(const OffloadFile* file, std::span<const at::Tensor> arrays,
          const std::function<void(Range)>& work);

}  // namespace civitas::optim
