#include "civitas/comm/exchange.hpp"

#include "staging.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

namespace civitas::comm {
namespace {

std::span<std::byte> bytes_of(const at::Tensor& flat) {
    expect(flat.is_contiguous(), "slices are of flat tensors");
    return {static_cast<std::byte*>(flat.data_ptr()), flat.nbytes()};
}

std::vector<Range> in_bytes(std::vector<Range> elements, const at::Tensor& of) {
    const auto size = static_cast<std::int64_t>(of.element_size());
    for (Range& r : elements) r = {r.begin * size, r.count * size};
    return elements;
}

/// Slices of the same lengths without gaps.
std::vector<Range> packed(std::vector<Range> slices) {
    std::int64_t begin = 0;
    for (Range& slice : slices) slice.begin = std::exchange(begin, begin + slice.count);
    return slices;
}

/// All slices one after the other, in host memory.
at::Tensor packed_on_host(const at::Tensor& flat, const std::vector<Range>& slices) {
    std::vector<at::Tensor> parts;
    for (const Range& slice : slices) parts.push_back(part(flat, slice));
    return on_host(at::cat(parts));
}

}  // namespace

at::Tensor part(const at::Tensor& flat, Range slice) {
    return flat.narrow(0, slice.begin, slice.count);
}

at::Tensor HostExchange::do_exchange_slices(const at::Tensor& flat,
                                            const std::vector<Range>& slices) const {
    if (!flat.is_cpu())
        return do_exchange_slices(packed_on_host(flat, slices), packed(slices)).to(flat.device());
    at::Tensor rows = at::empty({size(), own(slices).count}, flat.options());
    ranks().exchange_slices(std::span<const std::byte>(bytes_of(flat)), in_bytes(slices, flat),
                            bytes_of(rows));
    return rows;
}

void HostExchange::do_all_gather_slices(const at::Tensor& flat,
                                        const std::vector<Range>& slices) const {
    if (flat.is_cpu()) return ranks().all_gather_slices(bytes_of(flat), in_bytes(slices, flat));
    const auto places = packed(slices);
    const at::Tensor host = at::empty({places.back().end()}, host_options(flat));
    part(host, own(places)).copy_(part(flat, own(slices)));
    do_all_gather_slices(host, places);
    for (std::size_t r = 0; r < slices.size(); ++r)
        (void)filled(part(flat, slices[r]), part(host, places[r]));
}

}  // namespace civitas::comm
