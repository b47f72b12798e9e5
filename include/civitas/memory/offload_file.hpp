#pragma once
/// Memory on a disk: arrays in a file that has no name, of which little is in memory at a time.
#include "civitas/base/signals.hpp"
#include "civitas/memory/offload_memory.hpp"

#include <filesystem>
#include <memory>

namespace civitas::memory {

/// A file that is mapped into memory as a whole and ends with the process, however that ends. Its
/// arrays are tensors like others; what they hold comes into memory where it is touched, and leaves
/// it by let_go() alone.
class OffloadFile final : public OffloadMemory {
public:
    /// Takes the room of so many arrays with `bytes` in all on the disk of `folder`, so that none
    /// can be lacking later. Throws Error where there is too little, or where no file can be made.
    /// `window`: bytes of an array, a multiple of what a page has, that walk() has in memory.
    OffloadFile(const std::filesystem::path& folder, std::int64_t bytes, int arrays,
                std::int64_t window = offload_window_bytes);

    [[nodiscard]] at::Tensor zeros(std::int64_t elements, at::ScalarType type) override;
    [[nodiscard]] bool serves(at::Device device) const override { return device.is_cpu(); }
    /// Begins to read it from the disk.
    void read_ahead(const at::Tensor& part) const override;
    /// Begins to write it to the disk, and takes it out of memory.
    void let_go(const at::Tensor& part) const override;

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
    std::int64_t used_ = 0;
};

}  // namespace civitas::memory
