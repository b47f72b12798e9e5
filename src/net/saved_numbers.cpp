#include "civitas/net/saved_numbers.hpp"

namespace civitas::net {

std::int64_t saved_numbers(const NetDescription& local, const ArenaDivision& division, int ranks,
                           const Replica& replica) {
    const auto rows_here = [&](std::int64_t rows) {
        return block_range(rows, replica.number, ranks).count;
    };
    const auto is_written = [&](const auto& array) {
        return replica.writes_whole || array.slice.has_value();
    };
    const ArenaLayout layout(parameters_of(local));
    std::int64_t common = 0;
    for (const auto& [parameter, offset] : layout.slots())
        if (const std::int64_t rows = parameter.shape.at(0); rows > 0 && is_written(parameter))
            common += parameter.elements() / rows * rows_here(rows);
    std::int64_t owned = 0;
    for (const SlotRows& rows : rows_in(layout, division.owned_by(replica.number)))
        if (is_written(layout.slots()[rows.slot].parameter)) owned += rows.elements;
    const int state = replica.moments + (replica.has_mean ? 1 : 0);
    std::int64_t numbers = (replica.divides_weights ? owned : common) +
                           state * (replica.divides_optimizer ? owned : common);
    for (const BufferSpec& buffer : buffers_of(local))
        if (is_written(buffer)) numbers += (replica.has_mean ? 2 : 1) * rows_here(buffer.elements);
    return numbers;
}

}  // namespace civitas::net
