#include "civitas/server/endpoint.hpp"

#include <ATen/ops/empty.h>
#include <cstring>

namespace civitas::server {
namespace {

at::Tensor bytes_for(std::int64_t numbers) {
    return at::empty({static_cast<std::int64_t>(sizeof(Envelope)) + numbers}, at::kByte);
}

std::int64_t bytes_of(at::ScalarType type, const std::vector<at::Tensor>& tensors) {
    std::int64_t numbers = 0;
    for (const at::Tensor& tensor : tensors) numbers += tensor.numel();
    return numbers * static_cast<std::int64_t>(c10::elementSize(type));
}

/// Calls `work` with each tensor and the part of `flat` that has its numbers.
template <class Work>
void each_part(const at::Tensor& flat, const std::vector<at::Tensor>& tensors, Work&& work) {
    std::int64_t begin = 0;
    for (const at::Tensor& tensor : tensors) {
        work(flat.narrow(0, begin, tensor.numel()), tensor);
        begin += tensor.numel();
    }
}

}  // namespace

Message::Message(const Envelope& envelope, std::int64_t bytes) : whole_(bytes_for(bytes)) {
    std::memcpy(whole_.mutable_data_ptr(), &envelope, sizeof envelope);
}

Message::Message(const Envelope& envelope, at::ScalarType type,
                 const std::vector<at::Tensor>& tensors)
    : Message(envelope, bytes_of(type, tensors)) {
    each_part(numbers(type), tensors,
              [](const at::Tensor& part, const at::Tensor& from) { part.copy_(from); });
}

void Message::copy_to(const std::vector<at::Tensor>& tensors, at::ScalarType type) const {
    each_part(numbers(type), tensors,
              [](const at::Tensor& part, const at::Tensor& to) { to.copy_(part); });
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

std::int64_t Endpoint::expected_bytes(schedule::NetId net) const {
    std::int64_t bytes = 0;
    for (const auto& [from_and_tag, numbers] : expected_)
        for (const auto kind :
             {MessageKind::gradient, MessageKind::weights, MessageKind::state, MessageKind::load})
            if (from_and_tag.second == tag_of(kind, net)) bytes += numbers;
    return bytes;
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
