#include "civitas/schedule/step_graph.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/classifier.hpp"
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

std::string full_name(const StepGraph& graph, const Pass& pass) {
    return graph[pass.net] + '.' + pass.name;
}

/// What is wrong with where the input of a pass comes from, and when.
std::optional<std::string> flaw_of_input(const StepGraph& graph, PassId id) {
    const Pass& pass = graph[id];
    if (!pass.input_from) return std::nullopt;
    if (!(*pass.input_from < id)) return full_name(graph, pass) + " takes outputs of a later pass";
    for (int i = 0; i < index(id); ++i) {
        const Pass& before = graph[PassId{i}];
        if (pass.weights && before.input_from == pass.input_from && before.after_update == pass.net)
            return full_name(graph, pass) + " takes outputs after " + full_name(graph, before) +
                   ", which waits for its update";
    }
    return std::nullopt;
}

/// What is wrong with where the gradient of a pass comes from.
std::optional<std::string> flaw_of_gradient(const StepGraph& graph, PassId id) {
    const Pass& pass = graph[id];
    const std::string name = full_name(graph, pass);
    if (!pass.gradient_from) return std::nullopt;
    const Pass& through = graph[*pass.gradient_from];
    if (through.input_from != id) return name + " gets gradients of what did not take its outputs";
    if (through.weights) return name + " gets gradients of a pass with weights";
    if (!graph.ends_in_loss(*pass.gradient_from))
        return name + " gets gradients of a pass that has no loss";
    return std::nullopt;
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

bool StepGraph::is_awaited(NetId net) const {
    return std::any_of(passes.begin(), passes.end(),
                       [&](const Pass& pass) { return pass.after_update == net; });
}

std::optional<std::string> StepGraph::flaw() const {
    for (const NetId net : net_ids())
        if (trained_by(net).empty()) return (*this)[net] + " has no pass with weights";
    for (const PassId pass : pass_ids())
        for (const auto flaw_of : {flaw_of_input, flaw_of_gradient})
            if (auto found = flaw_of(*this, pass)) return found;
    return std::nullopt;
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

StepGraph classifier::graph() {
    return {.nets = {"C"}, .passes = {{.name = "train", .net = classifier::net}}};
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
