#include "civitas/memory/offload_file.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace civitas::memory {
namespace {

namespace fs = std::filesystem;

std::int64_t page_bytes() { return ::sysconf(_SC_PAGESIZE); }

std::int64_t whole_pages(std::int64_t bytes) {
    const std::int64_t page = page_bytes();
    return (bytes + page - 1) / page * page;
}

/// File systems that cannot make a file without a name get one that is removed at once.
Descriptor file_without_name(const fs::path& folder) {
    Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file) return file;
    std::string name = folder / "offload.XXXXXX";
    file = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (!file)
        throw Error(text("cannot offload to ", folder, ": ", system_error()),
                    Hint{"--offload-folder with a folder on a local disk"});
    ::unlink(name.c_str());
    return file;
}

Error no_room(const fs::path& folder, std::int64_t bytes, const std::string& why) {
    return Error(text("no room in ", folder, " for ", megabytes(bytes),
                      " of weights and moments that a rank offloads: ", why),
                 Hint{"free some space, --offload-folder on a larger disk, or --offload none"});
}

// Asked first: a file that does not fit would fill the disk for a moment, for others too.
void reserve(const Descriptor& file, const fs::path& folder, std::int64_t bytes) {
    std::error_code unknown;
    const auto space = fs::space(folder, unknown);
    if (!unknown && space.available < static_cast<std::uintmax_t>(bytes))
        throw no_room(folder, bytes,
                      text("it has ", megabytes(static_cast<std::int64_t>(space.available))));
    const int error = ::posix_fallocate(file.get(), 0, bytes);
    if (error != 0) throw no_room(folder, bytes, std::strerror(error));
}

std::shared_ptr<std::span<std::byte>> mapped(const Descriptor& file, const fs::path& folder,
                                             std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (begin == MAP_FAILED)
        throw Error(
            text("cannot map ", megabytes(bytes), " of a file in ", folder, ": ", system_error()),
            Hint{"--offload-folder on a local disk, a larger ulimit -v, or --offload none"});
    return {new std::span(static_cast<std::byte*>(begin), size), [](std::span<std::byte>* memory) {
                ::munmap(memory->data(), memory->size());
                delete memory;
            }};
}

/// From the first element of a tensor to its last.
std::size_t bytes_spanned(const at::Tensor& part) {
    std::int64_t last = 0;
    for (std::int64_t d = 0; d < part.dim(); ++d) last += (part.size(d) - 1) * part.stride(d);
    return static_cast<std::size_t>(last + 1) * part.itemsize();
}

}  // namespace

OffloadFile::OffloadFile(const fs::path& folder, std::int64_t bytes, int arrays,
                         std::int64_t window)
    : OffloadMemory(window), file_(file_without_name(folder)) {
    ensure(window > 0 && window % page_bytes() == 0, "windows are made of whole pages");
    const std::int64_t size = whole_pages(bytes) + std::max(arrays, 1) * page_bytes();
    reserve(file_, folder, size);
    mapped_ = mapped(file_, folder, size);
}

at::Tensor OffloadFile::zeros(std::int64_t elements, at::ScalarType type) {
    if (elements == 0) return at::empty({0}, type);
    const std::int64_t begin = used_;
    used_ += whole_pages(elements * static_cast<std::int64_t>(c10::elementSize(type)));
    ensure(used_ <= std::ssize(*mapped_), "what is offloaded is what was planned");
    return at::from_blob(
        mapped_->data() + begin, {elements}, [memory = mapped_](void*) {}, type);
}

OffloadFile::Pages OffloadFile::pages_of(const at::Tensor& part) const {
    if (part.numel() == 0 || !part.is_cpu()) return {};
    auto* const data = static_cast<std::byte*>(part.mutable_data_ptr());
    if (data < mapped_->data() || data >= mapped_->data() + mapped_->size()) return {};
    const std::int64_t place = data - mapped_->data();
    const std::int64_t begin = place / page_bytes() * page_bytes();
    const std::int64_t end = whole_pages(place + static_cast<std::int64_t>(bytes_spanned(part)));
    return {mapped_->data() + begin, begin, static_cast<std::size_t>(end - begin)};
}

// Both are advice: where the system cannot follow it, nothing is lost but time or memory.
void OffloadFile::read_ahead(const at::Tensor& part) const {
    if (const Pages pages = pages_of(part); pages.bytes > 0)
        ::madvise(pages.begin, pages.bytes, MADV_WILLNEED);
}

void OffloadFile::let_go(const at::Tensor& part) const {
    const Pages pages = pages_of(part);
    if (pages.bytes == 0) return;
    ::sync_file_range(file_.get(), pages.offset, static_cast<off64_t>(pages.bytes),
                      SYNC_FILE_RANGE_WRITE);
    ::madvise(pages.begin, pages.bytes, MADV_DONTNEED);
}

bool OffloadFile::is_in_memory() const {
    struct statfs about {};
    return ::fstatfs(file_.get(), &about) == 0 && about.f_type == TMPFS_MAGIC;
}

}  // namespace civitas::memory
