#include "civitas/schedule/schedule.hpp"

#include "patterns.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace civitas::schedule {
namespace {

constexpr std::string_view interleaved = "interleaved";

[[noreturn]] void refuse_name(std::string_view name) {
    throw UsageError(text("unknown schedule '", name, "'"),
                     Hint{"naive, gpipe, 1f1b, interleaved:v, zero-bubble, gan, or a file"});
}

bool is_simple(std::string_view name) {
    constexpr std::array<std::string_view, 5> names{"naive", "gpipe", "1f1b", "zero-bubble", "gan"};
    return std::ranges::find(names, name) != names.end();
}

/// v of `interleaved:v`.
int chunks_in(std::string_view name) {
    if (name == interleaved) return 2;
    const std::string_view digits = name.substr(std::min(interleaved.size() + 1, name.size()));
    const char* const end = digits.data() + digits.size();
    int chunks = 0;
    const auto [at, error] = std::from_chars(digits.data(), end, chunks);
    if (error != std::errc{} || at != end || chunks < 1) refuse_name(name);
    return chunks;
}

void require_supported(std::string_view name, const ScheduleShape& shape) {
    expect(shape.coordinates > 0, "a mesh has pipe coordinates");
    if (const int chunks = chunks_of(name); chunks != shape.chunks)
        throw UsageError(text("schedule ", name, " puts ", chunks,
                              " stages of each net on a coordinate, not ", shape.chunks));
    if (shape.micro_batches < 1)
        throw UsageError(
            text("a schedule of ", shape.micro_batches, " micro-batches a rank has nothing to do"),
            Hint{"a larger --batch, a smaller --micro-batch or fewer ranks"});
    if (shape.micro_batches > most_visits / shape.stages())
        throw UsageError(
            text("a step of ", shape.micro_batches, " micro-batches a rank through ",
                 shape.stages(), shape.stages() == 1 ? " stage" : " stages",
                 " is more than a table can hold: at most ", most_visits / shape.stages()),
            Hint{"a larger --micro-batch, a smaller --batch or more ranks of the data axis"});
    if (shape.chunks > 1 && shape.micro_batches % shape.coordinates != 0)
        throw UsageError(text("schedule ", name, " moves micro-batches in groups of one per pipe ",
                              "coordinate: a rank has ", shape.micro_batches,
                              " of them, no multiple of ", shape.coordinates),
                         Hint{"another --batch or --micro-batch, or --schedule 1f1b"});
}

Pattern pattern_of(std::string_view name, const ScheduleShape& shape) {
    if (shape.stages() == 1) return Pattern::one_f_one_b;
    if (name == "gpipe") return Pattern::gpipe;
    if (name == "zero-bubble" || name == "gan") return Pattern::zero_bubble;
    return Pattern::one_f_one_b;
}

/// Runs of micro-batches that a table finishes one after the other. One stage has nothing to
/// overlap, so it goes through them singly and keeps least.
std::vector<Range> blocks_of(std::string_view name, const ScheduleShape& shape) {
    if (name != "naive" && shape.stages() > 1) return {{0, shape.micro_batches}};
    std::vector<Range> singles;
    for (std::int64_t m = 0; m < shape.micro_batches; ++m) singles.push_back({m, 1});
    return singles;
}

/// The parts of a GAN step, each for a block of micro-batches.
class Parts {
public:
    Parts(std::string_view name, const ScheduleShape& shape)
        : pattern_(pattern_of(name, shape)), shape_(shape) {}

    [[nodiscard]] Lists real(Range m) const { return all(NetId::discriminator, Pass::real, m); }
    [[nodiscard]] Lists draw(Range m) const {
        return forward_of(all(NetId::generator, Pass::generate, m));
    }
    [[nodiscard]] Lists fake(Range m) const { return all(NetId::discriminator, Pass::fake, m); }
    [[nodiscard]] Lists through(Range m) const {
        return without_weights(all(NetId::discriminator, Pass::generate, m));
    }
    [[nodiscard]] Lists generate(Range m) const {
        Lists lists = all(NetId::generator, Pass::generate, m);
        return shape_.redraw ? redrawn(std::move(lists)) : backward_of(std::move(lists));
    }
    [[nodiscard]] Lists update(NetId net) const { return update_of(net, shape_.coordinates); }

private:
    [[nodiscard]] Lists all(NetId net, Pass pass, Range micros) const {
        return lists_of(pattern_, shape_, {net, pass, micros});
    }
    Pattern pattern_;
    const ScheduleShape& shape_;
};

std::vector<Phase> in_sequence(const Parts& parts, const std::vector<Range>& blocks) {
    std::vector<Phase> phases;
    for (const Range m : blocks) phases.push_back({parts.real(m)});
    for (const Range m : blocks) {
        phases.push_back({parts.draw(m)});
        phases.push_back({parts.fake(m)});
    }
    phases.push_back({parts.update(NetId::discriminator)});
    for (const Range m : blocks) {
        phases.push_back({parts.through(m)});
        phases.push_back({parts.generate(m)});
    }
    phases.push_back({parts.update(NetId::generator)});
    return phases;
}

/// D on real tiles fills the bubbles of G's forward, G's backward those of D in G's update.
std::vector<Phase> side_by_side(const Parts& parts, Range m) {
    return {{parts.real(m), parts.draw(m)},
            {parts.fake(m)},
            {parts.update(NetId::discriminator)},
            {parts.through(m), parts.generate(m)},
            {parts.update(NetId::generator)}};
}

}  // namespace

bool is_schedule_name(std::string_view name) {
    return is_simple(name) || name.substr(0, name.find(':')) == interleaved;
}

int chunks_of(std::string_view name) {
    if (!is_schedule_name(name)) refuse_name(name);
    return is_simple(name) ? 1 : chunks_in(name);
}

Schedule make_schedule(std::string_view name, const ScheduleShape& shape) {
    require_supported(name, shape);
    const auto blocks = blocks_of(name, shape);
    const Parts parts(name, shape);
    const bool both = name == "gan" && shape.stages() > 1;
    Lists lists =
        joined(both ? side_by_side(parts, blocks.front()) : in_sequence(parts, blocks), shape);
    return {std::string(name), shape.recompute ? recomputed(lists) : std::move(lists)};
}

Schedule single_net(std::string_view name, const ScheduleShape& shape) {
    require_supported(name, shape);
    std::vector<Phase> phases;
    for (const Range m : blocks_of(name, shape)) phases.push_back({Parts(name, shape).real(m)});
    Lists lists = joined(phases, shape);
    return {std::string(name), shape.recompute ? recomputed(lists) : std::move(lists)};
}

}  // namespace civitas::schedule
