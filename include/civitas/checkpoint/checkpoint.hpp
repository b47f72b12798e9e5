#pragma once
/// Checkpoints: logical arrays in PyTorch order in one HDF5 file, written by all ranks, named
/// `step-00001200.h5`, so that any mesh reads what any other wrote. Knows shards, not models.
#include "civitas/base/numbers.hpp"
#include "civitas/checkpoint/spare.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/hdf5/hdf5.hpp"

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace civitas::checkpoint {

/// This rank's part of a logical array: the box [begin, begin + count) in every dim, and the view
/// (any strides, any device) of exactly that shape: fp32 or fp64 to save, any floating type to
/// load.
struct Shard {
    std::string name;                 ///< `/generator/parameters/deconv0.weight`
    std::vector<std::int64_t> shape;  ///< of the logical array
    std::vector<Range> box;           ///< one per dim
    at::Tensor view;
    bool writes = true;  ///< false for a replica: it takes part in loading and in the drift check
    /// Is called with parts of the view that have been read or written; may be empty.
    std::function<void(const at::Tensor&)> let_go = {};
    void done_with(const at::Tensor& part) const {
        if (let_go) let_go(part);
    }
};
[[nodiscard]] Shard whole(std::string name, at::Tensor view, bool writes);

/// Bytes of a fact, at most.
inline constexpr std::size_t longest_fact = 4096;

/// What a checkpoint holds beside its arrays. `facts` must agree for a run to go on (batch, seed,
/// net ...); `notes` may differ (mesh, threads). In the file both are attributes of "/", notes as
/// `note_<name>`, or texts `/notes/<name>` where they are longer than 4 kB; no fact may be that
/// long, or be called format, program, step or note_*.
struct Header {
    StepIndex step{};  ///< steps done
    std::map<std::string, std::string> facts;
    std::map<std::string, std::string> notes;
    std::string configuration;  ///< INI text
};

/// A run of bytes: elements [begin, begin+count) of the logical array <- a contiguous stretch of
/// the shard. Pure; 64-bit.
struct FileRun {
    std::int64_t array_begin = 0;
    std::int64_t shard_begin = 0;
    std::int64_t count = 0;
};
[[nodiscard]] std::vector<FileRun> runs_of(const std::vector<std::int64_t>& shape,
                                           const std::vector<Range>& box);

/// Sum over all arrays of mix64(name_hash(name), checksum of the array): does not depend on who
/// holds what. Collective; throws AgreedError unless the writing shards cover every array once.
[[nodiscard]] std::uint64_t fingerprint(const comm::Communicator& ranks,
                                        const std::vector<Shard>& shards);

/// What save() has written.
struct Written {
    std::filesystem::path file;
    std::uint64_t fingerprint = 0;
    std::int64_t bytes = 0;
};
/// Writes `folder/step-NNNNNNNN.h5` (the folder is made when missing). Collective; throws
/// AgreedError and leaves no partial file. Every logical array must be covered exactly once by
/// shards that write. The root's `spare` is written over.
[[nodiscard]] Written save(const comm::Communicator& ranks, const std::filesystem::path& folder,
                           const Header& header, const std::vector<Shard>& shards,
                           Spare spare = {});

/// Throws AgreedError naming the array when replicas along `replicas` differ in any bit. Their
/// views have the same strides. Collective.
void require_equal_replicas(const comm::Communicator& replicas, const std::vector<Shard>& shards);

/// What is known of an array of a file, without its values.
struct ArrayInfo {
    std::string name;
    std::vector<std::int64_t> shape;
    hdf5::ElementType type = hdf5::ElementType::f32;
    std::uint64_t offset = 0;  ///< of its bytes in the file; 0 when it has no elements
    std::uint64_t checksum = 0;
    friend bool operator==(const ArrayInfo&, const ArrayInfo&) = default;
};
/// What a file holds, without the values of its arrays.
struct Contents {
    Header header;
    std::vector<ArrayInfo> arrays;  ///< by name
    std::uint64_t fingerprint = 0;
};
/// Contents of a file, for resume checks and `inspect`. Not collective. Throws Error when it cannot
/// be read, is no checkpoint, or its description is damaged.
[[nodiscard]] Contents read_contents(const std::filesystem::path& file);
/// Contents of a file on all ranks, read by the root. Collective; throws AgreedError when the root
/// cannot read it as a checkpoint, or another rank sees another file under this name.
[[nodiscard]] Contents read_contents(const comm::Communicator& ranks,
                                     const std::filesystem::path& file);
/// Whether a file ends as checkpoints do, whole or damaged; a damaged one must not be given to
/// HDF5, which may crash on it. Not collective; throws Error when it cannot be read.
[[nodiscard]] bool is_sealed(const std::filesystem::path& file);
/// Reads every array and compares checksums; returns the names of damaged arrays. Not collective.
/// Throws Error as read_contents does.
[[nodiscard]] std::vector<std::string> damaged_arrays(const std::filesystem::path& file);

/// What is wrong with a file; nothing when it is whole. Not collective. Throws Error when the file
/// cannot be read now, or with so little memory: only wrong contents are damage.
[[nodiscard]] std::optional<std::string> problem_with(const std::filesystem::path& file);

/// Loads all shards from a file and verifies them. Arrays of the file that no shard names are left
/// alone; those named must be covered exactly once by shards that write, as for save(). `replicas`:
/// ranks that hold the same shards as this one, at most one of which writes each; they share the
/// reading and hand on what they read. Shards that no replica writes must be whole arrays.
/// Collective; throws AgreedError, after which the views' values are not to be used.
void load(const comm::Communicator& ranks, const std::filesystem::path& file,
          const std::vector<Shard>& shards, const comm::Communicator& replicas);
/// Loads all shards from a file and verifies them; every rank reads what it holds. Otherwise as
/// load() with `replicas`: collective, throws AgreedError.
void load(const comm::Communicator& ranks, const std::filesystem::path& file,
          const std::vector<Shard>& shards);

/// Names of checkpoints in a folder, newest first. Not collective.
[[nodiscard]] std::vector<std::filesystem::path> list(const std::filesystem::path& folder);

/// The newest file that verifies; each damaged newer one is reported through `warn` on the root.
/// Nothing when the folder has none; throws AgreedError when there are some but none is whole, or
/// one of them cannot be read now.
/// Collective; the ranks share the reading.
[[nodiscard]] std::optional<std::filesystem::path> newest_whole(
    const comm::Communicator& ranks, const std::filesystem::path& folder,
    const std::function<void(const std::string&)>& warn);

/// Which checkpoints stay: the newest ones, and for ever the first whole one in [every, 2 every),
/// in [2 every, 3 every) and so on, counted in steps.
struct Keep {
    int newest = 1;
    std::int64_t every = 0;  ///< 0: none but the newest
};
/// Cleans up after a save of step `newest`: keeps that file and the keep.newest - 1 whole ones
/// before it, and those that stay for ever. Before one is removed, `is_whole` is asked of the
/// newest that stay, and of the one that stays for ever in its place; a damaged one gets the ending
/// `.damaged`, one of which nothing can be said now stays and does not count. Files of later steps
/// are of a course that was given up (--resume FILE): they get the ending `.abandoned`, so that no
/// later resume takes them. Of those that go, one is returned. Root only.
[[nodiscard]] Spare prune(
    const std::filesystem::path& folder, Keep keep, StepIndex newest,
    const std::function<std::optional<bool>(const std::filesystem::path&)>& is_whole);

}  // namespace civitas::checkpoint
