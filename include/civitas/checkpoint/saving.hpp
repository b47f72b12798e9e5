#pragma once
/// A save in parts, the long ones of which may run beside other work.
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/comm/agree.hpp"

#include <memory>

namespace civitas::checkpoint {

/// A checkpoint in the making. Every rank does its part of a phase alone, and all of them meet
/// before the next one:
///     Saving saving(ranks, folder, header, shards);
///     std::optional<Written> written;
///     while (!written) written = saving.advance(comm::outcome_of([&] { saving.work(); }));
/// The phases are writing and reading back; until the last meeting nothing has the file's name.
/// Destroyed before that, it leaves no file.
class Saving {
public:
    /// Makes the file with room for all of it, of the root's `spare` where it can. The values of
    /// `all_shards` stay as they are until this rank's work() of the first phase has ended.
    /// Collective; throws AgreedError as save() does.
    Saving(const comm::Communicator& ranks, const std::filesystem::path& folder,
           const Header& header, const std::vector<Shard>& all_shards, Spare spare = {});
    Saving(Saving&&) noexcept;
    Saving& operator=(Saving&&) noexcept;
    Saving(const Saving&) = delete;
    Saving& operator=(const Saving&) = delete;
    ~Saving();

    /// This rank's part of the phase: once, on any thread. Calls neither MPI nor HDF5. Throws Error
    /// when the file cannot be written or read.
    void work();
    /// Ends the phase, given what work() ended with on this rank. Returns what has been written
    /// once the file has its name. Collective; throws AgreedError, after which nothing more is to
    /// be called.
    [[nodiscard]] std::optional<Written> advance(const comm::Outcome& mine);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace civitas::checkpoint
