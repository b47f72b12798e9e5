#include "courier.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/empty.h>
#include <algorithm>
#include <utility>

namespace civitas::parallel {
namespace {

constexpr int most_stages = 64;  // a number of a stage fits into a tag

at::Tensor dense(const at::Tensor& x) {
    return x.contiguous(x.dim() == 4 ? at::MemoryFormat::ChannelsLast
                                     : at::MemoryFormat::Contiguous);
}

}  // namespace

Courier::Courier(Pipeline pipeline) : pipeline_(std::move(pipeline)) {
    if (!pipeline_.generator_seams.empty())
        stages_ = static_cast<int>(pipeline_.generator_seams.size()) - 1;
    expect(stages_ <= most_stages, "the number of a stage fits into a tag");
}

int Courier::coordinate_of(const Action& action) const {
    if (pipeline_.mailbox == nullptr) return pipeline_.here;
    return pipeline_.placement.coordinate_of(action.net, action.stage);
}

comm::Tag Courier::tag_of(const Action& made) const {
    const int kind = made.kind == Kind::F ? 0 : made.kind == Kind::redraw ? 1 : 2;
    const int what = (kind * 3 + static_cast<int>(made.pass)) * 2 + static_cast<int>(made.net);
    return comm::Tag{(static_cast<int>(index(made.micro)) * most_stages + made.stage) * 18 + what};
}

at::Tensor Courier::room_for(const Action& made) const {
    const auto& seams =
        made.net == Net::generator ? pipeline_.generator_seams : pipeline_.discriminator_seams;
    const auto seam = static_cast<std::size_t>(made.kind == Kind::B ? made.stage : made.stage + 1);
    const nn::ImageShape& s = seams.at(seam);
    return at::empty({pipeline_.micro_batch, s.channels, s.height, s.width},
                     pipeline_.like.memory_format(at::MemoryFormat::ChannelsLast));
}

void Courier::look_ahead(const std::vector<Action>& actions, std::size_t next) {
    if (pipeline_.mailbox == nullptr) return;
    for (std::size_t i = next; i < std::min(actions.size(), next + message_window); ++i) {
        const auto made = maker_of_input(actions[i], stages_);
        if (!made || coordinate_of(*made) == pipeline_.here) continue;
        const Rank from{coordinate_of(*made)};
        if (!pipeline_.mailbox->expects(from, tag_of(*made)))
            pipeline_.mailbox->expect(from, tag_of(*made), room_for(*made));
    }
}

void Courier::deliver(const Action& made, const Action& user, at::Tensor result) {
    if (coordinate_of(user) == pipeline_.here) {
        here_[made] = std::move(result);
    } else {
        pipeline_.mailbox->send(Rank{coordinate_of(user)}, tag_of(made), dense(result));
    }
}

at::Tensor Courier::fetch(const Action& made) {
    if (coordinate_of(made) != pipeline_.here)
        return pipeline_.mailbox->take(Rank{coordinate_of(made)}, tag_of(made));
    auto node = here_.extract(made);
    expect(!node.empty(), "a checked schedule makes every tensor before it is used");
    return std::move(node.mapped());
}

double Courier::waited() const noexcept {
    return pipeline_.mailbox != nullptr ? pipeline_.mailbox->waited() : 0;
}

void Courier::poll() const {
    if (pipeline_.mailbox != nullptr) pipeline_.mailbox->poll();
}

}  // namespace civitas::parallel
