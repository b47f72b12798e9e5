// The messages of every table, given in their one order to ends that wait for each other.
#include "civitas/schedule/message_order.hpp"

#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/sharded_weights.hpp"
#include "civitas/schedule/simulator.hpp"
#include "civitas/schedule/traffic.hpp"
#include "schedule/tables.hpp"

#include <set>

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;

namespace {

std::vector<MessageOrder> order_of(const Schedule& schedule, const ScheduleShape& shape) {
    return message_order(schedule, shape.stage_counts(), shape.micro_batches);
}

/// Coordinates that move one message at a time, and wait in each until its other end has come to
/// it; that act in the order of their table, and meet to reduce.
class Rendezvous {
public:
    Rendezvous(const Schedule& schedule, const std::vector<MessageOrder>& orders)
        : schedule_(schedule),
          orders_(orders),
          acted_(orders.size()),
          moved_(orders.size()),
          have_(orders.size()) {}

    /// False when somebody waits forever.
    bool run(const StageCounts& stages) {
        for (bool any = true; any;) {
            any = false;
            for (std::size_t c = 0; c < orders_.size(); ++c) any = move(c) || act(c, stages) || any;
        }
        for (std::size_t c = 0; c < orders_.size(); ++c)
            if (acted_[c] < list(c).size() || moved_[c] < orders_[c].messages.size()) return false;
        return true;
    }

private:
    [[nodiscard]] const std::vector<Action>& list(std::size_t c) const {
        return schedule_.coordinates[c];
    }
    [[nodiscard]] const Action* upcoming(std::size_t c) const {
        return acted_[c] < list(c).size() ? &list(c)[acted_[c]] : nullptr;
    }
    /// Messages that stand before the next action.
    [[nodiscard]] std::size_t due(std::size_t c) const {
        const Action* next = upcoming(c);
        if (next == nullptr) return orders_[c].messages.size();
        return of_weights(next->kind) ? moved_[c] : orders_[c].before.at(*next);
    }
    [[nodiscard]] const Message* next_message(std::size_t c) const {
        return moved_[c] < due(c) ? &orders_[c].messages[moved_[c]] : nullptr;
    }

    bool move(std::size_t c) {
        const Message* mine = next_message(c);
        if (mine == nullptr) return false;
        const auto peer = static_cast<std::size_t>(mine->peer);
        const Message* theirs = next_message(peer);
        const Message wanted{!mine->leaves, mine->made, PipeCoordinate{static_cast<int>(c)}};
        if (theirs == nullptr || *theirs != wanted) return false;
        const std::size_t sender = mine->leaves ? c : peer;
        REQUIRE(have_[sender].contains(mine->made));
        have_[mine->leaves ? peer : c].insert(mine->made);
        ++moved_[c];
        ++moved_[peer];
        return true;
    }

    bool act(std::size_t c, const StageCounts& stages) {
        const Action* next = upcoming(c);
        if (next == nullptr || moved_[c] < due(c)) return false;
        if (next->kind == Kind::reduce) return meet();
        if (of_weights(next->kind)) return ++acted_[c] > 0;
        const auto input = producer_of_input(gan::graph(), *next, stages);
        REQUIRE((!input || have_[c].contains(*input)));
        have_[c].insert(output_of(*next));
        ++acted_[c];
        return true;
    }

    bool meet() {
        for (std::size_t c = 0; c < orders_.size(); ++c) {
            const Action* theirs = upcoming(c);
            if (theirs == nullptr || theirs->kind != Kind::reduce || moved_[c] < due(c))
                return false;
        }
        for (auto& acted : acted_) ++acted;
        return true;
    }

    const Schedule& schedule_;
    const std::vector<MessageOrder>& orders_;
    std::vector<std::size_t> acted_, moved_;
    std::vector<std::set<Action>> have_;  ///< results that are here
};

}  // namespace

TEST_CASE("every table runs with messages that wait for both ends") {
    int tables = 0;
    for_all_tables([&](const std::string& name, const ScheduleShape& shape) {
        for (const bool split : {false, true}) {
            auto schedule = make_schedule(name, shape);
            if (split) schedule = apart(schedule);
            INFO(to_string(schedule));
            CHECK(Rendezvous(schedule, order_of(schedule, shape)).run(shape.stage_counts()));
        }
        const StageCounts stages{{2 * shape.stages(), shape.stages()}};
        const auto parts_of = [&](int count) {
            return std::vector(static_cast<std::size_t>(shape.stages()), count);
        };
        const auto gathered =
            with_gathers(split_stages(make_schedule(name, shape), {parts_of(2), parts_of(1)}));
        const auto orders = message_order(gathered, stages, shape.micro_batches);
        CHECK(Rendezvous(gathered, orders).run(stages));
        for (const auto& order : orders)
            for (const auto& [action, count] : order.before) REQUIRE(!of_weights(action.kind));
        ++tables;
    });
    CHECK(tables == (5 * 9 + 8) * 8);
}

TEST_CASE("all that crosses the pipe is ordered, once at each end") {
    for_all_tables([&](const std::string& name, const ScheduleShape& shape) {
        const auto schedule = make_schedule(name, shape);
        const auto orders = order_of(schedule, shape);
        const auto placement = placement_of(schedule);
        std::size_t wanted = 0;
        for (const PipeCoordinate c : each<PipeCoordinate>(shape.coordinates))
            for (const Action& a : schedule[c])
                if (const auto made = producer_of_input(gan::graph(), a, shape.stage_counts()))
                    wanted += placement.coordinate_of(made->net, made->stage) == c ? 0 : 2;
        std::size_t found = 0;
        for (const auto& order : orders) found += order.messages.size();
        CHECK(found == wanted);
    });
}

TEST_CASE("a net may have more stages than another") {
    const StageCounts stages{{3, 2}};
    const Schedule schedule = parse_schedule(
        gan::graph(),
        "schedule unlike\n"
        "D0.real.F0 D0.real.BW0 G0.generate.F0 D0.fake.F0 D0.fake.BW0 D.reduce D.step "
        "D0.generate.F0 D0.generate.B0 G0.generate.BW0 G.reduce G.step\n"
        "D1.real.F0 D1.real.BW0 G1.generate.F0 G2.generate.F0 D1.fake.F0 D1.fake.BW0 D.reduce "
        "D.step D1.generate.F0 D1.generate.B0 G2.generate.BW0 G1.generate.BW0 G.reduce G.step\n");
    CHECK_NOTHROW(check_schedule(schedule, stages, 1));
    CHECK_THROWS_WITH(check_schedule(schedule, StageCounts{{2, 2}}, 1),
                      Catch::Contains("G2.generate.F0 cannot run: G has 2 stages"));
    CHECK_THROWS_WITH(check_schedule(schedule, StageCounts{{3, 3}}, 1),
                      Catch::Contains("D1.real.BW0 cannot run: D2.real.B0 must come first"));
    const auto orders = message_order(schedule, stages, 1);
    CHECK(orders[0].messages.size() == 3 * 2 + 4);  // of D's passes; there and back for G's ends
    CHECK(Rendezvous(schedule, orders).run(stages));
    const Costs costs = unit_costs(stages);
    CHECK(memory_peak(schedule, PipeCoordinate{1}, costs).kept == KeptPeak{2, 1});
    const auto cuts = cut_traffic(schedule, costs);
    REQUIRE(cuts.size() == 3);
    CHECK((cuts[1].net == gan::generator && cuts[1].stage == StageId{2} && cuts[1].messages == 2));
}

TEST_CASE("two messages of one coordinate swapped are noticed") {
    for (const auto& name : schedule_names) {
        const auto shape = shape_of(name, 2, 4);
        const auto schedule = make_schedule(name, shape);
        const auto right = order_of(schedule, shape);
        int swaps = 0;
        for (std::size_t i = 1; i < right[1].messages.size(); ++i) {
            auto wrong = right;
            auto& messages = wrong[1].messages;
            if (messages[i - 1].leaves || messages[i].leaves) continue;
            std::swap(messages[i - 1], messages[i]);
            CHECK_FALSE(Rendezvous(schedule, wrong).run(shape.stage_counts()));
            ++swaps;
        }
        INFO(name);
        CHECK((swaps > 0 || name == "naive"));
    }
}

TEST_CASE("a table in which the ranks cannot meet to reduce is refused") {
    // Both nets on two coordinates of their own: D's is the only one that reduces D.
    const ScheduleShape shape{
        .graph = gan::graph(), .coordinates = 1, .chunks = 2, .micro_batches = 1};
    const auto together = make_schedule("interleaved:2", shape);
    Schedule schedule{"nets apart", gan::graph(), {{}, {}}};
    for (const Action& a : together.coordinates[0])
        schedule.coordinates[a.net == gan::generator ? 0 : 1].push_back(a);
    CHECK_THROWS_WITH(message_order(schedule, {{2, 2}}, 1),
                      Catch::Contains("schedule nets apart: coordinate 1 waits forever at "
                                      "D.reduce. Hint: every coordinate reduces every net"));
}
