#pragma once
/// Brings what an action made to the coordinate that needs it, when that is another one.
#include "civitas/parallel/executor.hpp"

namespace civitas::parallel {

class StageChannel {
public:
    explicit StageChannel(Pipeline pipeline);

    /// Expect the messages that the transport may carry before actions[next] is done.
    void prepare(const std::vector<schedule::Action>& actions, std::size_t next);
    /// Hands the result of `made` to another coordinate.
    void send(const schedule::Action& made, PipeCoordinate to, const at::Tensor& result);
    /// The result of `made` on another coordinate, waited for.
    [[nodiscard]] at::Tensor receive(const schedule::Action& made);
    /// Before the ranks meet elsewhere: what moves in one order has moved.
    void drain() const;
    /// Seconds spent waiting in receive() so far.
    [[nodiscard]] double waited() const noexcept;
    /// Most bytes that messages on their way here had at once.
    [[nodiscard]] std::int64_t peak_bytes() const noexcept { return peak_bytes_; }
    /// Lets messages move.
    void progress() const;
    /// Begins the order of messages again.
    void clear();

    /// Of the pipe axis, where this action is done.
    [[nodiscard]] PipeCoordinate coordinate_of(const schedule::Action& action) const;
    [[nodiscard]] bool is_here(const schedule::Action& action) const {
        return coordinate_of(action) == pipeline_.here;
    }
    [[nodiscard]] const schedule::StepGraph& graph() const noexcept { return pipeline_.graph; }
    [[nodiscard]] const schedule::StageCounts& stages() const noexcept { return stages_; }

private:
    [[nodiscard]] bool in_order() const;
    [[nodiscard]] comm::Tag tag_of(const schedule::Action& made) const;
    /// Empty tensor of the shape of what `made` makes.
    [[nodiscard]] at::Tensor buffer_for(const schedule::Action& made) const;
    void post_receive_from(PipeCoordinate coordinate, const schedule::Action& made);
    /// Expects the next messages of the order, up to number `end` or the next that leaves.
    void follow_order(std::size_t end);

    Pipeline pipeline_;
    schedule::StageCounts stages_;
    std::size_t issued_ = 0;  ///< messages of the order, sent and expected
    std::int64_t bytes_ = 0;  ///< of messages on their way here
    std::int64_t peak_bytes_ = 0;
};

}  // namespace civitas::parallel
