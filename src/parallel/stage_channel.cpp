#include "stage_channel.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/mesh.hpp"
#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/tags.hpp"

#include <ATen/ops/empty.h>
#include <algorithm>
#include <utility>

namespace civitas::parallel {
namespace {

at::Tensor dense(const at::Tensor& x) {
    return x.contiguous(x.dim() == 4 ? at::MemoryFormat::ChannelsLast
                                     : at::MemoryFormat::Contiguous);
}

}  // namespace

StageChannel::StageChannel(Pipeline pipeline) : pipeline_(std::move(pipeline)) {
    stages_.nets.assign(pipeline_.graph.nets.size(), 1);
    for (std::size_t net = 0; net < pipeline_.boundaries.size(); ++net)
        stages_.nets.at(net) = static_cast<int>(pipeline_.boundaries[net].size()) - 1;
    for (const int stages : stages_.nets)
        ensure(stages <= schedule::most_stages, "the number of a stage fits into a tag");
}

bool StageChannel::in_order() const {
    return pipeline_.transport != nullptr && pipeline_.transport->in_order();
}

PipeCoordinate StageChannel::coordinate_of(const schedule::Action& action) const {
    if (pipeline_.transport == nullptr) return pipeline_.here;
    return pipeline_.placement.coordinate_of(action.net, action.stage);
}

comm::Tag StageChannel::tag_of(const schedule::Action& made) const {
    const int kind = made.kind == schedule::Kind::F        ? 0
                     : made.kind == schedule::Kind::redraw ? 1
                                                           : 2;
    const int what = kind * schedule::most_passes + index(made.pass);
    const auto number = schedule::tags_of(index(made.micro)) +
                        std::int64_t{index(made.stage)} * schedule::kinds_of_results + what;
    return comm::Tag{static_cast<int>(number)};
}

at::Tensor StageChannel::buffer_for(const schedule::Action& made) const {
    const auto& shapes = pipeline_.boundaries.at(static_cast<std::size_t>(made.net));
    const auto boundary =
        static_cast<std::size_t>(made.kind == schedule::Kind::B ? made.stage : next(made.stage));
    const net::ImageShape& s = shapes.at(boundary);
    return at::empty({pipeline_.micro_batch, s.channels, s.height, s.width},
                     pipeline_.like.memory_format(at::MemoryFormat::ChannelsLast));
}

void StageChannel::post_receive_from(PipeCoordinate coordinate, const schedule::Action& made) {
    const Rank from = comm::rank_on_pipe(coordinate);
    if (pipeline_.transport->is_posted(from, tag_of(made))) return;
    const at::Tensor buffer = buffer_for(made);
    bytes_ += static_cast<std::int64_t>(buffer.nbytes());
    peak_bytes_ = std::max(peak_bytes_, bytes_);
    pipeline_.transport->post_receive(from, tag_of(made), buffer);
}

void StageChannel::follow_order(std::size_t end) {
    for (; issued_ < end && !pipeline_.order->messages[issued_].leaves; ++issued_)
        post_receive_from(pipeline_.order->messages[issued_].peer,
                          pipeline_.order->messages[issued_].made);
}

void StageChannel::prepare(const std::vector<schedule::Action>& actions, std::size_t next) {
    if (pipeline_.transport == nullptr || schedule::of_weights(actions[next].kind)) return;
    if (in_order()) return follow_order(pipeline_.order->before.at(actions[next]));
    std::size_t ahead = 0;
    for (std::size_t i = next; i < actions.size() && ahead < schedule::message_window; ++i) {
        if (schedule::of_weights(actions[i].kind)) continue;
        ++ahead;
        const auto made = schedule::producer_of_input(pipeline_.graph, actions[i], stages_);
        if (made && coordinate_of(*made) != pipeline_.here)
            post_receive_from(coordinate_of(*made), *made);
    }
}

void StageChannel::send(const schedule::Action& made, PipeCoordinate to, const at::Tensor& result) {
    if (in_order()) {
        const auto& messages = pipeline_.order->messages;
        follow_order(messages.size());
        ensure(issued_ < messages.size() && messages[issued_] == schedule::Message{true, made, to},
               "messages leave in the order of the table");
        ++issued_;
    }
    pipeline_.transport->send(comm::rank_on_pipe(to), tag_of(made), dense(result));
}

at::Tensor StageChannel::receive(const schedule::Action& made) {
    const Rank from = comm::rank_on_pipe(coordinate_of(made));
    at::Tensor result = pipeline_.transport->wait(from, tag_of(made));
    bytes_ -= static_cast<std::int64_t>(result.nbytes());
    return result;
}

double StageChannel::waited() const noexcept {
    return pipeline_.transport != nullptr ? pipeline_.transport->waited() : 0;
}

void StageChannel::progress() const {
    if (pipeline_.transport != nullptr) pipeline_.transport->progress();
}

// While a process waits in MPI for all others it does not poll.
void StageChannel::drain() const {
    if (in_order()) pipeline_.transport->flush();
}

void StageChannel::clear() {
    if (in_order()) pipeline_.transport->discard();
    issued_ = 0;
    bytes_ = 0;
}

}  // namespace civitas::parallel
