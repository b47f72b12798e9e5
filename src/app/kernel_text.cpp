#include "kernel_text.hpp"

#include "civitas/base/error.hpp"
#include "civitas/net/own_kernel.hpp"

#include <array>
#include <iomanip>
#include <sstream>

namespace civitas::app {
namespace {

constexpr int name_columns = 23;
constexpr int time_columns = 7;

/// `FB strided, W aten: ...`
std::string choice_words(const net::LayerDescription& layer, const net::OwnKernel& own,
                         net::Passes ours, bool timed) {
    if (own.kernel == net::Kernel::aten) return "aten: " + own.left;
    const bool has_weights = !net::parameters_of(layer).empty();
    const net::Passes rest{!ours.forward, !ours.backward_input,
                           has_weights && !ours.backward_weights};
    std::string words;
    if (ours != net::no_pass) words = text(net::letters_of(ours), ' ', to_string(own.kernel));
    if (rest != net::no_pass)
        words += text(words.empty() ? "" : ", ", net::letters_of(rest), " aten");
    return timed || own.left.empty() ? words : text(words, ": ", own.left);
}

/// Milliseconds; a dash for what is not computed, or not by these kernels.
std::string time_cell(bool there, double seconds) {
    std::ostringstream out;
    if (there && seconds > 0)
        out << std::fixed << std::setprecision(2) << seconds * 1e3;
    else
        out << '-';
    return out.str();
}

void add_times(std::ostream& out, const net::OwnKernel& own, const planner::LayerTimes& aten,
               const planner::LayerTimes& ours) {
    using Times = planner::LayerTimes;
    constexpr std::array<std::pair<bool net::Passes::*, double Times::*>, 3> passes{
        {{&net::Passes::forward, &Times::forward_s},
         {&net::Passes::backward_input, &Times::backward_input_s},
         {&net::Passes::backward_weights, &Times::backward_weights_s}}};
    for (const auto& [pass, time] : passes)
        out << std::setw(time_columns) << time_cell(true, aten.*time) << std::setw(time_columns)
            << time_cell(own.passes.*pass, ours.*time);
}

void add_head(std::ostream& out, bool timed) {
    out << "Kernels"
        << (timed ? ", and milliseconds of a micro-batch by ATen's and by ours:\n" : ":\n");
    if (!timed) return;
    out << "  " << std::setw(name_columns) << "";
    for (const char* pass : {"F", "B", "W"})
        out << std::setw(time_columns) << text(pass, " aten") << std::setw(time_columns) << "ours";
    out << '\n';
}

}  // namespace

std::string kernel_table(const planner::Workload& workload, const net::KernelChoice& choice,
                         const profiling::KernelTimings& timings) {
    std::ostringstream out;
    const bool timed = !timings.by_aten.nets.empty();
    add_head(out, timed);
    for (std::size_t n = 0; n < workload.nets.size(); ++n) {
        const net::NetDescription& net = workload.nets[n].description;
        const auto shapes = net::shapes_of(net);
        for (std::size_t i = 0; i < net.layers.size(); ++i) {
            const auto name = net::name_in_choice(net, net.layers[i]);
            const auto own = net::own_kernel(net.layers[i], shapes[i], workload.kernels.host);
            out << "  " << std::left << std::setw(name_columns) << name << std::right;
            if (timed)
                add_times(out, own, timings.by_aten.nets.at(n).at(i),
                          timings.as_described.nets.at(n).at(i));
            out << "  "
                << choice_words(net.layers[i], own, net::taken(own, choice.ours(name)), timed)
                << '\n';
        }
    }
    out << "  " << std::left << std::setw(name_columns) << net::adam_in_choice
        << std::string(timed ? 6 * time_columns : 0, ' ') << "  "
        << (choice.adam() == net::KernelSet::fast ? "ours" : "aten") << '\n';
    return out.str();
}

}  // namespace civitas::app
