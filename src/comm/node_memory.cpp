#include "civitas/comm/node_memory.hpp"

#include "civitas/base/signals.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/node_map.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace civitas::comm {
namespace {

namespace fs = std::filesystem;

Error no_room(std::int64_t bytes, const fs::path& disk, const std::string& why) {
    return Error(text("shared memory of ", bytes, " bytes is needed on this node, ", disk, why),
                 Hint{text("clear ", disk, ", or give it more room (mount -o remount,size=..., ",
                           "docker run --shm-size)")});
}

/// A file that other ranks find by its name, as long as this lives.
struct NamedFile {
    explicit NamedFile(const fs::path& folder)
        : name(folder / "civitas.XXXXXX"), file(::mkostemp(name.data(), O_CLOEXEC)) {}
    NamedFile(const NamedFile&) = delete;
    NamedFile& operator=(const NamedFile&) = delete;
    ~NamedFile() { ::unlink(name.c_str()); }
    std::string name;
    Descriptor file;
};

/// In pieces: one that a signal interrupts is done again.
int reserved(const Descriptor& file, Range part) {
    int error = 0;
    while (part.count > 0 && (error == 0 || error == EINTR)) {
        const std::int64_t piece = std::min(part.count, std::int64_t{64} << 20);
        error = ::posix_fallocate(file.get(), part.begin, piece);
        if (error == 0) part = {part.begin + piece, part.count - piece};
    }
    return error;
}

}  // namespace

std::optional<std::int64_t> node_memory_room(const fs::path& disk) {
    std::error_code unknown;
    const auto space = fs::space(disk, unknown);
    if (unknown) return std::nullopt;
    return static_cast<std::int64_t>(space.available / 5 * 4);
}

Communicator node_of(const Communicator& world, int ranks_of_node) {
    return world.split(node_map(world, ranks_of_node).node_of(world.rank()), index(world.rank()));
}

NodeMemory::NodeMemory(const Communicator& node, std::int64_t bytes, const fs::path& disk) {
    node.barrier();  // all have let go of what they had before
    std::optional<NamedFile> made;
    agree(node, [&] {
        const auto room = node_memory_room(disk);
        if (room && *room < bytes) throw no_room(bytes, disk, text(" has room for ", *room));
        if (!node.is_root()) return;
        made.emplace(room ? disk : fs::temp_directory_path());
        if (!made->file) throw no_room(bytes, disk, text(": ", system_error()));
    });
    const std::string name = node.broadcast(made ? made->name : "");
    const Descriptor file = agree(node, [&] {
        Descriptor opened(::open(name.c_str(), O_RDWR | O_CLOEXEC));
        if (!opened) throw no_room(bytes, disk, text(": ", system_error()));
        return opened;
    });
    made.reset();  // before there is anything in it
    agree(node, [&] {
        // Each rank asks for its part, so that this lies in the memory next to it.
        const int error = reserved(file, block_range(bytes, index(node.rank()), node.size()));
        if (error != 0) throw no_room(bytes, disk, text(": ", std::strerror(error)));
        const auto size = static_cast<std::size_t>(bytes);
        void* const all = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
        if (all == MAP_FAILED) throw no_room(bytes, disk, text(": ", system_error()));
        mapping_ = {static_cast<std::byte*>(all), [size](std::byte* p) { ::munmap(p, size); }};
        bytes_ = {mapping_.get(), size};
    });
}

}  // namespace civitas::comm
