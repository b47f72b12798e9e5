#include "same_file.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/base/process.hpp"
#include "civitas/comm/agree.hpp"

#include <array>
#include <random>

namespace civitas::checkpoint {
namespace {

namespace fs = std::filesystem;

using Mark = std::array<std::uint64_t, 3>;
static_assert(sizeof(Mark) == mark_bytes);

// What a rank finds under a name.
struct Sight {
    bool is_file = false;
    std::uint64_t size = 0;
    Mark end{};  ///< zeros of a file shorter than that
    friend bool operator==(const Sight&, const Sight&) = default;
};

Sight sight_of(const fs::path& file) {
    std::error_code unknown;
    const auto type = fs::status(file, unknown).type();
    if (type != fs::file_type::regular && type != fs::file_type::none) return {};
    const auto raw = io::RawFile::open_to_read(file);
    Sight sight{.is_file = true, .size = raw.size()};
    if (sight.size >= mark_bytes)
        raw.read_at(sight.size - mark_bytes, std::as_writable_bytes(std::span(sight.end)));
    return sight;
}

std::string absolute_name(const fs::path& file) {
    std::error_code unknown;
    const fs::path name = fs::absolute(file, unknown);
    return unknown ? file.string() : name.string();
}

std::string described(const Sight& sight) {
    if (!sight.is_file) return "no file";
    return text(sight.size, " bytes ending in ", hex(sight.end[0]), hex(sight.end[1]));
}

}  // namespace

void mark_end(const io::RawFile& file) {
    std::random_device random;
    const auto word = [&] { return (std::uint64_t{random()} << 32) | random(); };
    const Mark mark{word(), word(), 0};  // what ends in 0 is no seal
    file.write_at(file.size() - mark_bytes, std::as_bytes(std::span(mark)));
}

void require_same_file(const comm::Communicator& ranks, const fs::path& file) {
    const Sight mine = comm::agree(ranks, [&] { return sight_of(file); });
    const Sight roots = ranks.broadcast(mine);
    const std::string place =
        ranks.broadcast(text(host_name(), " sees ", absolute_name(file), ": "));
    if (!roots.is_file) return;
    comm::agree(ranks, [&] {
        if (mine != roots)
            throw Error(text("the ranks do not see the same file. Host ", host_name(), " sees ",
                             absolute_name(file), ": ", described(mine), "; rank 0 on host ", place,
                             described(roots)),
                        Hint{"the run folder must lie on storage that all nodes share, under the "
                             "same absolute name: --run /shared/town"});
    });
}

}  // namespace civitas::checkpoint
