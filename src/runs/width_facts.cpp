#include "width_facts.hpp"

#include "civitas/base/text.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/schedule/gan.hpp"

#include <algorithm>
#include <array>
#include <variant>
#include <vector>

namespace civitas::runs {

std::string widths_of(const net::NetDescription& net) {
    std::vector<std::int64_t> widths;
    for (const auto& layer : net.layers) {
        if (const auto* down = std::get_if<net::Convolution>(&layer.kind))
            widths.push_back(down->out);
        if (const auto* up = std::get_if<net::TransposedConvolution>(&layer.kind))
            widths.push_back(up->out);
    }
    widths.pop_back();
    return join(widths, ",");
}

std::string older_widths(const std::string& net, const std::string& fact) {
    if (fact == generator_fact && net == "dcgan-64") return "512,256,128,64";
    const planner::Nets nets({.net = net});
    return widths_of(
        nets[fact == generator_fact ? schedule::gan::generator : schedule::gan::discriminator]);
}

bool shapes_arrays(const std::string& fact) {
    static const std::array facts{generator_fact,        discriminator_fact,
                                  std::string("nz"),     std::string("net"),
                                  std::string("task"),   std::string("classes"),
                                  std::string("coding"), std::string("condition")};
    return std::find(facts.begin(), facts.end(), fact) != facts.end();
}

}  // namespace civitas::runs
