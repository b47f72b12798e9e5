#include "civitas/schedule/step_graph.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/gan.hpp"

#include <algorithm>

namespace civitas::schedule {
namespace {

template <class Id, class Things>
std::vector<Id> ids_of(const Things& things) {
    std::vector<Id> ids;
    for (int i = 0; i < std::ssize(things); ++i) ids.push_back(Id{i});
    return ids;
}

/// Whether gradients of a net come through a pass that waits for the other's update.
bool waits_for(const StepGraph& graph, NetId net, NetId other) {
    for (const PassId pass : graph.trained_by(net))
        for (auto at = graph[pass].gradient_from; at; at = graph[*at].gradient_from)
            if (graph[*at].after_update == other) return true;
    return false;
}

}  // namespace

std::vector<NetId> StepGraph::net_ids() const { return ids_of<NetId>(nets); }
std::vector<PassId> StepGraph::pass_ids() const { return ids_of<PassId>(passes); }

std::optional<PassId> StepGraph::gradient_to(PassId pass) const {
    for (int i = 0; i < std::ssize(passes); ++i)
        if ((*this)[PassId{i}].gradient_from == pass) return PassId{i};
    return std::nullopt;
}

std::optional<PassId> StepGraph::first_consumer(PassId pass) const {
    for (int i = 0; i < std::ssize(passes); ++i)
        if ((*this)[PassId{i}].input_from == pass) return PassId{i};
    return std::nullopt;
}

std::optional<PassId> StepGraph::last_consumer(PassId pass) const {
    for (int i = static_cast<int>(std::ssize(passes)); i-- > 0;)
        if ((*this)[PassId{i}].input_from == pass) return PassId{i};
    return std::nullopt;
}

bool StepGraph::ends_in_loss(PassId pass) const {
    return !(*this)[pass].gradient_from && !first_consumer(pass);
}

bool StepGraph::is_redrawable(PassId pass) const {
    return (*this)[pass].gradient_from && !(*this)[pass].input_from;
}

std::vector<PassId> StepGraph::trained_by(NetId net) const {
    std::vector<PassId> trained;
    for (const PassId pass : pass_ids())
        if ((*this)[pass].net == net && (*this)[pass].weights) trained.push_back(pass);
    return trained;
}

std::vector<NetId> StepGraph::update_order() const {
    std::vector<NetId> order;
    std::vector<NetId> rest = net_ids();
    const auto waits = [&](NetId net) {
        return std::any_of(rest.begin(), rest.end(), [&](NetId other) {
            return other != net && waits_for(*this, net, other);
        });
    };
    while (!rest.empty()) {
        const auto next = std::find_if_not(rest.begin(), rest.end(), waits);
        ensure(next != rest.end(), "no nets wait for each other's updates");
        order.push_back(*next);
        rest.erase(next);
    }
    return order;
}

StepGraph gan::graph() {
    return {.nets = {"G", "D"},
            .passes = {{.name = "real", .net = discriminator},
                       {.name = "generate", .net = generator, .gradient_from = d_generate},
                       {.name = "fake", .net = discriminator, .input_from = generate},
                       {.name = "generate",
                        .net = discriminator,
                        .input_from = generate,
                        .weights = false,
                        .after_update = discriminator}}};
}

}  // namespace civitas::schedule
