#pragma once
/// Weights of stages that are whole only while they are used (ZeRO-3, arXiv:1910.02054; the units
/// of FSDP, arXiv:2304.11277): gathered from the ranks that own them, dropped after.
#include "civitas/comm/collectives.hpp"
#include "civitas/nn/layer.hpp"
#include "civitas/optim/arena_shard.hpp"
#include "civitas/optim/gather_room.hpp"

#include <map>
#include <memory>
#include <vector>

namespace civitas::optim {

/// What the weights of a net's stages are gathered from. What is referred to must outlive its user.
struct DividedWeights {
    const net::ArenaLayout& layout;      ///< of a net's parameters
    const net::ArenaDivision& division;  ///< among the ranks
    const ArenaShard& masters;           ///< what this rank owns
    at::ScalarType convolutions;  ///< what they compute with; other layers use the masters' type
    at::Device device;            ///< that computes, wherever the masters lie
    const comm::TensorCollectives& ranks;
};

/// The ranks gather the stages of a net in one order.
class StageWeights {
public:
    /// `stages`: the slots of each. Nothing is gathered. `room`: where stages are gathered, once
    /// for a node; null: each rank gathers in memory of its own.
    StageWeights(const DividedWeights& from, const std::map<StageId, Range>& stages,
                 GatherRoom* room = nullptr);
    StageWeights(const StageWeights&) = delete;
    StageWeights& operator=(const StageWeights&) = delete;
    StageWeights(StageWeights&&) = delete;
    StageWeights& operator=(StageWeights&&) = delete;
    ~StageWeights();

    /// What layers compute with, by slot of the layout: the same tensors for ever, to be read from
    /// wait() to release() of their stage. To read them at another time throws c10::Error.
    [[nodiscard]] const std::vector<at::Tensor>& views() const noexcept { return views_; }

    /// Takes the memory of a stage and begins to fill it with the masters' values as they are now.
    /// Collective over the ranks.
    void gather(StageId stage);
    /// Waits until a stage that is being gathered is there. Throws comm::Revoked as exchanges do.
    void wait(StageId stage);
    /// Drops the stage when its own part has left for the other ranks.
    void release(StageId stage);
    /// Drops everything at once, finished or not: after an error.
    void clear();
    /// Lets what is on its way move.
    void progress() const;

    /// Bytes of the stages that are gathered or on their way, net::compute_room of each.
    [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
    /// Seconds spent waiting for other ranks so far.
    [[nodiscard]] double waited() const noexcept { return waited_; }

private:
    struct Unit;
    [[nodiscard]] static net::NumberBytes number_bytes(const DividedWeights& from);
    void make_views(const DividedWeights& from, Range slots, Unit& unit);
    /// Of whom the bytes of a unit come, and which are made of this rank's masters.
    void find_parts(const DividedWeights& from, Range slots, const net::ComputeRoom& room,
                    Unit& unit) const;
    [[nodiscard]] Unit& unit(StageId stage) const;
    void drop(Unit& unit);

    const comm::TensorCollectives& ranks_;
    GatherRoom* room_;
    std::map<StageId, std::unique_ptr<Unit>> units_;
    std::vector<at::Tensor> views_;
    c10::Storage released_;  ///< what the views of stages that are not there see
    std::int64_t bytes_ = 0;
    double waited_ = 0;
};

}  // namespace civitas::optim
