#include "civitas/parallel/schedule.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <charconv>

namespace civitas::parallel {
namespace {

constexpr std::string_view known = "naive, gpipe, 1f1b, interleaved:v, zero-bubble or gan";

void require_supported(std::string_view name, const ScheduleShape& shape) {
    if (const int chunks = chunks_of(name); chunks != shape.chunks)
        throw UsageError(text("schedule ", name, " puts ", chunks,
                              " stages of each net on a coordinate, not ", shape.chunks));
    if (shape.micro_batches < 1)
        throw UsageError(
            text("a schedule of ", shape.micro_batches, " micro-batches a rank has nothing to do"),
            Hint{"a larger --batch, a smaller --micro-batch or fewer ranks"});
    if (shape.stages() != 1)
        throw UsageError(text("this version runs one stage, the mesh asks for ", shape.stages()),
                         Hint{"--mesh with pipe=1"});
}

/// Appends actions of one stage of one net in one pass.
class Writer {
public:
    explicit Writer(std::vector<Action>& out) : out_(out) {}

    void visit(Net net, Pass pass, std::int64_t micro, std::initializer_list<Kind> kinds) {
        for (const Kind kind : kinds) out_.push_back({net, 0, pass, kind, MicroBatch{micro}});
    }
    void finish(Net net) {
        out_.push_back({.net = net, .kind = Kind::reduce});
        out_.push_back({.net = net, .kind = Kind::step});
    }

private:
    std::vector<Action>& out_;
};

std::vector<Action> one_stage(const ScheduleShape& shape) {
    std::vector<Action> actions;
    Writer write(actions);
    for (std::int64_t m = 0; m < shape.micro_batches; ++m)
        write.visit(Net::discriminator, Pass::real, m, {Kind::F, Kind::BW});
    for (std::int64_t m = 0; m < shape.micro_batches; ++m) {
        write.visit(Net::generator, Pass::generate, m, {Kind::F});
        write.visit(Net::discriminator, Pass::fake, m, {Kind::F, Kind::BW});
    }
    write.finish(Net::discriminator);
    for (std::int64_t m = 0; m < shape.micro_batches; ++m) {
        write.visit(Net::discriminator, Pass::generate, m, {Kind::F, Kind::B});
        if (shape.redraw) write.visit(Net::generator, Pass::generate, m, {Kind::redraw});
        write.visit(Net::generator, Pass::generate, m, {Kind::BW});
    }
    write.finish(Net::generator);
    return actions;
}

/// The action after which nothing of a visit is kept any more.
Kind last_of(const Action& action) {
    const bool weights = action.net == Net::generator || action.pass != Pass::generate;
    return weights ? Kind::W : Kind::B;
}

}  // namespace

int chunks_of(std::string_view name) {
    constexpr std::string_view interleaved = "interleaved";
    for (const std::string_view simple : {"naive", "gpipe", "1f1b", "zero-bubble", "gan"})
        if (name == simple) return 1;
    if (name == interleaved) return 2;
    int chunks = 0;
    if (name.starts_with("interleaved:")) {
        const char* const end = name.data() + name.size();
        const auto [at, error] = std::from_chars(name.data() + interleaved.size() + 1, end, chunks);
        if (error == std::errc{} && at == end && chunks > 0) return chunks;
    }
    throw UsageError(text("unknown schedule '", name, "'"), Hint{std::string(known)});
}

Schedule make_schedule(std::string_view name, ScheduleShape shape) {
    require_supported(name, shape);
    return {std::string(name), {one_stage(shape)}};
}

KeptPeak kept_peak(const std::vector<Action>& actions) {
    KeptPeak live, peak;
    for (const Action& action : actions) {
        const bool g = action.net == Net::generator;
        std::int64_t& now = g ? live.generator : live.discriminator;
        std::int64_t& most = g ? peak.generator : peak.discriminator;
        const auto redrawn = [&] {
            Action again = action;
            again.kind = Kind::redraw;
            return std::find(actions.begin(), actions.end(), again) != actions.end();
        };
        if (action.kind == Kind::F || action.kind == Kind::redraw) most = std::max(most, ++now);
        const bool over = action.kind == last_of(action) || action.kind == Kind::BW;
        if ((action.kind == Kind::F && g && redrawn()) || over) --now;
    }
    return peak;
}

}  // namespace civitas::parallel
