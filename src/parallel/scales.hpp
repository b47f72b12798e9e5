#pragma once
/// How many bytes a growing and shrinking set of holders keeps; memory that several share counts
/// once. A change costs as much as the holder that changed, however many there are.
#include "civitas/nn/layer.hpp"
#include "civitas/schedule/schedule.hpp"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

namespace civitas::parallel {

/// Bytes of each storage that somebody keeps, by its address.
using Storages = std::map<const void*, std::int64_t>;
[[nodiscard]] Storages storages_of(const at::Tensor& tensor);
[[nodiscard]] Storages storages_of(const nn::Stage::Context& kept);

/// What a holder keeps for an action.
enum class Role { kept, input, loss, output, here };

class Scales {
public:
    /// Precondition: the holder is dropped, or new.
    void put(Role role, const schedule::Action& action, Storages now);
    /// Does nothing when there is none.
    void drop(Role role, const schedule::Action& action);
    void clear();

    [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
    /// Storages looked at so far.
    [[nodiscard]] std::int64_t looks() const noexcept { return looks_; }

private:
    struct Shared {
        std::int64_t bytes = 0;
        std::int64_t holders = 0;
    };
    void take(const Storages& storages);
    void leave(const Storages& storages);

    std::map<std::pair<Role, schedule::Action>, Storages> holders_;
    std::unordered_map<const void*, Shared> storages_;
    std::int64_t bytes_ = 0;
    std::int64_t looks_ = 0;
};

}  // namespace civitas::parallel
