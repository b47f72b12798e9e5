#include "civitas/server/letters.hpp"

#include <ATen/ops/empty.h>
#include <cstring>

namespace civitas::server {
namespace {

at::Tensor bytes_for(std::int64_t numbers) {
    return at::empty({static_cast<std::int64_t>(sizeof(Head)) + numbers}, at::kByte);
}

}  // namespace

Letter::Letter(const Head& head, std::int64_t bytes) : whole_(bytes_for(bytes)) {
    std::memcpy(whole_.mutable_data_ptr(), &head, sizeof head);
}

at::Tensor Letter::numbers(at::ScalarType type) const {
    constexpr auto head = static_cast<std::int64_t>(sizeof(Head));
    return whole_.narrow(0, head, whole_.numel() - head).view(type);
}

void Letters::listen(Rank from, Subject subject, std::int64_t bytes, schedule::NetId net) {
    const comm::Tag tag = tag_of(subject, net);
    expected_[{from, tag}] = bytes;
    post_.post_receive(from, tag, bytes_for(bytes));
}

std::optional<Letter> Letters::take(Rank from, Subject subject, schedule::NetId net) {
    const comm::Tag tag = tag_of(subject, net);
    if (!post_.is_there(from, tag)) return std::nullopt;
    at::Tensor next = bytes_for(expected_.at({from, tag}));  // first, since memory may lack
    Letter letter(post_.wait(from, tag));
    post_.post_receive(from, tag, std::move(next));
    return letter;
}

}  // namespace civitas::server
