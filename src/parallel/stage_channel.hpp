#pragma once
/// Brings what an action made to the coordinate that needs it: kept here when that is this one, a
/// message otherwise.
#include "civitas/parallel/executor.hpp"

#include <map>

namespace civitas::parallel {

class StageChannel {
public:
    explicit StageChannel(Pipeline pipeline);

    /// Expect the messages that the transport may carry before actions[next] is done.
    void prepare(const std::vector<schedule::Action>& actions, std::size_t next);
    /// Hands the result of `made` to the coordinate of `consumer`.
    void put(const schedule::Action& made, const schedule::Action& consumer, at::Tensor result);
    /// The result of `made`, waited for.
    [[nodiscard]] at::Tensor get(const schedule::Action& made);
    /// Before the ranks meet elsewhere: what moves in one order has moved.
    void drain() const;
    /// Seconds spent waiting in get() so far.
    [[nodiscard]] double waited() const noexcept;
    /// Lets messages move.
    void progress() const;
    /// Forgets what was put here, and begins the order of messages again.
    void clear();

    /// Of the pipe axis, where this action is done.
    [[nodiscard]] PipeCoordinate coordinate_of(const schedule::Action& action) const;
    [[nodiscard]] bool is_made_here(const schedule::Action& made) const {
        return coordinate_of(made) == pipeline_.here;
    }
    [[nodiscard]] const schedule::StepGraph& graph() const noexcept { return pipeline_.graph; }
    [[nodiscard]] const schedule::StageCounts& stages() const noexcept { return stages_; }
    [[nodiscard]] const std::map<schedule::Action, at::Tensor>& here() const noexcept {
        return here_;
    }

private:
    [[nodiscard]] bool in_order() const;
    [[nodiscard]] comm::Tag tag_of(const schedule::Action& made) const;
    /// Empty tensor of the shape of what `made` makes.
    [[nodiscard]] at::Tensor buffer_for(const schedule::Action& made) const;
    void post_receive_from(PipeCoordinate coordinate, const schedule::Action& made) const;
    /// Expects the next messages of the order, up to number `end` or the next that leaves.
    void follow_order(std::size_t end);

    Pipeline pipeline_;
    schedule::StageCounts stages_;
    std::size_t issued_ = 0;  ///< messages of the order, sent and expected
    std::map<schedule::Action, at::Tensor> here_;
};

}  // namespace civitas::parallel
