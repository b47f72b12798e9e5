#include "civitas/server/endpoint.hpp"

#include <ATen/ops/empty.h>
#include <cstring>

namespace civitas::server {
namespace {

at::Tensor bytes_for(std::int64_t numbers) {
    return at::empty({static_cast<std::int64_t>(sizeof(Envelope)) + numbers}, at::kByte);
}

}  // namespace

Message::Message(const Envelope& envelope, std::int64_t bytes) : whole_(bytes_for(bytes)) {
    std::memcpy(whole_.mutable_data_ptr(), &envelope, sizeof envelope);
}

at::Tensor Message::numbers(at::ScalarType type) const {
    constexpr auto envelope = static_cast<std::int64_t>(sizeof(Envelope));
    return whole_.narrow(0, envelope, whole_.numel() - envelope).view(type);
}

void Endpoint::listen(Rank from, MessageKind kind, std::int64_t bytes, schedule::NetId net) {
    const comm::Tag tag = tag_of(kind, net);
    expected_[{from, tag}] = bytes;
    post_.post_receive(from, tag, bytes_for(bytes));
}

std::optional<Message> Endpoint::take(Rank from, MessageKind kind, schedule::NetId net) {
    const comm::Tag tag = tag_of(kind, net);
    if (!post_.is_there(from, tag)) return std::nullopt;
    at::Tensor next = bytes_for(expected_.at({from, tag}));  // first, since memory may lack
    Message message(post_.wait(from, tag));
    post_.post_receive(from, tag, std::move(next));
    return message;
}

}  // namespace civitas::server
