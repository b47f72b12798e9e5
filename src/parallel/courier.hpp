#pragma once
/// Brings what an action made to the coordinate that needs it: kept here when that is this one, a
/// message otherwise.
#include "civitas/parallel/executor.hpp"

#include <map>

namespace civitas::parallel {

/// Actions whose messages are expected before their turn.
inline constexpr std::size_t message_window = 8;

class Courier {
public:
    explicit Courier(Pipeline pipeline);

    /// Post receives for what the next actions of the list, from `next` on, will ask for.
    void look_ahead(const std::vector<Action>& actions, std::size_t next);
    /// Hands the result of `made` to the coordinate of `user`.
    void deliver(const Action& made, const Action& user, at::Tensor result);
    /// The result of `made`, waited for.
    [[nodiscard]] at::Tensor fetch(const Action& made);
    /// Seconds spent waiting in fetch() so far.
    [[nodiscard]] double waited() const noexcept;
    /// Lets messages move.
    void poll() const;
    /// Forgets what was delivered here.
    void clear() { here_.clear(); }

    [[nodiscard]] int stages() const noexcept { return stages_; }
    [[nodiscard]] const std::map<Action, at::Tensor>& here() const noexcept { return here_; }

private:
    [[nodiscard]] int coordinate_of(const Action& action) const;
    [[nodiscard]] comm::Tag tag_of(const Action& made) const;
    /// Empty tensor of the shape of what `made` makes.
    [[nodiscard]] at::Tensor room_for(const Action& made) const;

    Pipeline pipeline_;
    int stages_ = 1;
    std::map<Action, at::Tensor> here_;
};

}  // namespace civitas::parallel
