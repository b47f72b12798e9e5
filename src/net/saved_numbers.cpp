#include "civitas/net/saved_numbers.hpp"

namespace civitas::net {

std::int64_t saved_numbers(const NetDescription& local, const ArenaDivision& division, int ranks,
                           const Replica& replica) {
    const auto share_of = [&](std::int64_t rows) {
        return block_range(rows, replica.number, ranks).count;
    };
    const auto is_written = [&](const auto& array) {
        return replica.writes_whole || array.slice.has_value();
    };
    const ArenaLayout layout(parameters_of(local));
    std::int64_t share = 0;
    for (const auto& [parameter, offset] : layout.slots())
        if (const std::int64_t rows = parameter.shape.at(0); rows > 0 && is_written(parameter))
            share += parameter.elements() / rows * share_of(rows);
    std::int64_t owned = 0;
    for (const SlotRows& rows : rows_in(layout, division.owned_by(replica.number)))
        if (is_written(layout.slots()[rows.slot].parameter)) owned += rows.elements;
    const int state = replica.has_mean ? 3 : 2;
    std::int64_t numbers = (replica.divides_weights ? owned : share) +
                           state * (replica.divides_optimizer ? owned : share);
    for (const BufferSpec& buffer : buffers_of(local))
        if (is_written(buffer)) numbers += (replica.has_mean ? 2 : 1) * share_of(buffer.elements);
    return numbers;
}

}  // namespace civitas::net
