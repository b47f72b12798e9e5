#include "server_course.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/planner/workload.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace civitas::train {
namespace {

server::ServedNetOptions net_options(const schedule::StepGraph& graph, schedule::NetId net,
                                     const planner::Configuration& c, std::int64_t parts) {
    return {.net = net,
            .awaited = graph.is_awaited(net),
            .parts = parts,
            .micro_batches = c.problem.micro_batches() / parts,
            .max_staleness = c.update.max_staleness.value_or(0)};
}

server::ServedNet::Followers followers(optim::ModelState& model) {
    return {.apply = [&model](const auto& rows) { model.apply_statistics(first_stage, rows); },
            .mix = [&model](std::int64_t updates) { model.mix_statistics(updates); },
            .then = {}};
}

std::function<void(const server::WorkQueue::Given&)> telling_of_late(Log& log) {
    return [&log](const server::WorkQueue::Given& given) {
        log.warn(text("rank ", *given.instead_of, " has not ended part ", given.item.part,
                      " of step ", given.item.step + 1, ": rank ", given.worker, " makes it, too"));
    };
}

/// Seconds in which a rank hears of the end of a run: before it would be called a hang. A launcher
/// that has lost a rank has ended the others in less: mpirun in 2 s, srun in half a minute.
double seconds_to_answer(std::optional<double> hang_seconds) {
    constexpr double most = 60;
    const double limit = hang_seconds.value_or(0);
    return limit > 0 ? std::min(most, limit / 2) : most;
}

/// Empty where all have answered.
std::string silence_of(const std::vector<Rank>& ranks) {
    if (ranks.empty()) return {};
    return "no answer from " +
           join(ranks, ", ", [](Rank rank) { return text("rank ", index(rank)); });
}

}  // namespace

ServerRanks::ServerRanks(const comm::Communicator& world, const planner::Configuration& c, Log& log)
    : roles(world.size(), c.update.servers),
      me(world.rank()),
      graph(planner::workload_of(c).graph),
      waits_within(c.update.max_staleness.value_or(0) == 0),
      parts(parts_of_step(c.problem.micro_batches(), roles.workers())),
      endpoint(world),
      worker(endpoint, me, [this] { return serve(); }) {
    for (const schedule::NetId net : graph.net_ids())
        nets.push_back(std::make_unique<server::ServedNet>(endpoint, roles, worker, me,
                                                           net_options(graph, net, c, parts)));
    if (me != server::root) return;
    const std::int64_t figures =
        c.problem.micro_batches() / parts * tasks::figures_of_micro_batch(c.problem.task()) +
        numbers_of_part;
    coordinator.emplace(
        endpoint, roles,
        server::QueueOptions{.parts = parts, .max_staleness = c.update.max_staleness.value_or(0)},
        figures, telling_of_late(log));
}

bool ServerRanks::serve() {
    bool updated = false;
    for (const auto& net : nets) updated = net->poll() || updated;
    if (coordinator) coordinator->poll();
    return updated;
}

void ServerRanks::follow_updates(runs::RunState& state) {
    const schedule::NetId last = graph.update_order().back();
    for (const schedule::NetId net : graph.net_ids()) {
        server::ServedNet& served = *nets[static_cast<std::size_t>(net)];
        auto follow = followers(state.models()[net]);
        if (net == last)
            follow.then = [this](std::int64_t updates) { coordinator->updated(updates); };
        else
            follow.then = [this](std::int64_t updates) { coordinator->part_goes_on(updates - 1); };
        served.follow(std::move(follow));
        if (waits_within && graph.is_awaited(net))
            served.service()->observe_parts([this](server::WorkItem item, std::int64_t rank) {
                coordinator->part_waits(item, rank);
            });
    }
}

std::vector<optim::SharedModel*> ServerRanks::models() const {
    std::vector<optim::SharedModel*> all;
    for (const auto& net : nets) all.push_back(net.get());
    return all;
}

void ServerCourse::make(steps::StepRunner& runner, server::WorkItem item, const Next& next) {
    const std::int64_t micro_batches = run_.configuration.problem.micro_batches();
    const MicroBatchShare part(micro_batches, static_cast<int>(item.part),
                               static_cast<int>(ranks_.parts));
    ++depth_;
    ranks_.worker.make(item, [&] {
        const steps::PartEnd end = runner.make_part(item.step, part, next);
        std::vector<double> numbers = end.figures;
        std::int64_t staleness = 0;
        for (const auto& net : ranks_.nets) {
            const server::Worker::Exchange exchange(ranks_.worker);
            net->wait_until_pushed();
            staleness = std::max(staleness, net->staleness());
        }
        const server::Worker::Spent spent = ranks_.worker.spent();
        numbers.insert(numbers.end(),
                       {spent.exchanging / spent.seconds, spent.without_item / spent.seconds,
                        static_cast<double>(end.bytes), runner.like().peak_flops});
        ranks_.worker.tell(
            item, {.what = static_cast<std::int64_t>(end.wish), .version = staleness}, numbers);
    });
    --depth_;
}

void ServerCourse::make_too(server::WorkItem item, const Next& next) {
    while (beside_.size() < depth_)
        beside_.push_back(std::make_unique<steps::StepRunner>(run_, state_));
    make(*beside_[depth_ - 1], item, next);
}

report::StepRecord ServerCourse::record_of(const server::EndedStep& step) {
    report::StepRecord r = *like_;
    std::vector<double> figures;
    report::MadeInParts made;
    std::vector<report::RankFigures> ranks;
    for (const server::PartFigures& part : step.parts) {
        const auto own = part.numbers.end() - numbers_of_part;
        figures.insert(figures.end(), part.numbers.begin(), own);
        ranks.push_back({own[0], own[1], static_cast<std::int64_t>(own[2])});
        made.ranks.push_back(part.envelope.worker);
        peaks_.tell(part.envelope.worker, own[3]);
        made.staleness = std::max(made.staleness, part.envelope.version);
        wish_ = std::max(wish_, static_cast<tasks::Wish>(part.envelope.what));
    }
    report::add_ranks(r, ranks);
    r.step = step.step + 1;
    r.peak_flops = peaks_.sum();
    r.values = run_.objective->values_of(figures);
    r.seconds = step.seconds;
    r.time = step.time;
    made.steps_per_second = pace_.step_ended(step.time);
    r.made_in_parts = std::move(made);
    return r;
}

void ServerCourse::tell_steps(const StepListener& listener) {
    for (const server::EndedStep& step : ranks_.coordinator->ended_steps()) {
        if (poster_ != nullptr) poster_->begin_step(StepIndex{step.step + 1});
        listener.ended(record_of(step));
    }
    if (wish_ != tasks::Wish::go_on) ranks_.coordinator->stop();
}

tasks::BetweenSteps ServerCourse::make_round(steps::StepRunner& runner,
                                             const StepListener& listener) {
    Stopwatch since_asked;
    tasks::BetweenSteps last = listener.next();
    while (!ranks_.coordinator->is_done()) {
        const auto order = ranks_.roles.works(ranks_.me) ? ranks_.worker.try_next() : std::nullopt;
        if (order)
            make(runner, order->item, listener.next);
        else
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        ranks_.worker.serve();
        tell_steps(listener);
        constexpr double seconds_between = 0.1;
        if (since_asked.seconds() < seconds_between) continue;
        since_asked.restart();
        last = listener.next();
        wish_ = std::max(wish_, last.wish);
        if (files_are_due(state_, last)) ranks_.coordinator->stop();
    }
    tell_steps(listener);
    last.wish = std::max(last.wish, wish_);
    return last;
}

tasks::BetweenSteps ServerCourse::advance(steps::StepRunner& runner, std::int64_t limit,
                                          const StepListener& listener) {
    ranks_.worker.make_others_by(
        [this, &listener](server::WorkItem item) { make_too(item, listener.next); });
    wish_ = tasks::Wish::go_on;
    like_ = runner.like();
    rests_ = false;
    pace_.begin(seconds_since_1970());
    ranks_.coordinator->open(state_.steps_done(), limit);
    const tasks::BetweenSteps last = make_round(runner, listener);
    state_.go_to(ranks_.coordinator->limit());
    for (const auto& net : ranks_.nets) {
        net->set_steps(state_.steps_done());
        net->rest();
    }
    rests_ = true;
    return last;
}

std::string ServerCourse::dismiss(const server::Order& order) {
    const tasks::AtWork ending(poster_, tasks::Work::ending);
    const double seconds = seconds_to_answer(run_.configuration.run_options.hang_seconds);
    return silence_of(ranks_.coordinator->end(order, seconds));
}

void ServerCourse::let_go(Exit how) {
    if (silence_) return;
    silence_ = dismiss({.what = server::Order::What::end, .how = how});
    if (!silence_->empty() && !last_act_) throw Error(*silence_ + "; what was saved stays");
}

void ServerCourse::end(Exit how) {
    let_go(how);
    if (silence_->empty()) return;
    // jobs/train.sbatch looks for these words.
    run_.log.warn(*silence_ + ": the job ends, and all that was learnt is saved");
    last_act_();
    comm::end_job(how);
}

void ServerCourse::end_by_error(const std::string& why) {
    if (silence_) throw Error(why);  // nobody is left to agree with
    const std::string silence = dismiss({.what = server::Order::What::fail});
    if (!silence.empty()) throw Error(text(why, "; ", silence, "; what was saved stays"));
}

void ServerCourse::fail(const std::string& words) {
    try {
        ranks_.worker.fail(words);
    } catch (const server::Dismissed&) {
        ranks_.worker.leave();
        throw AgreedError(words, false);
    }
}

Exit ServerCourse::follow(steps::StepRunner& runner, const Next& next) {
    try {
        const Exit how = work_and_serve(runner, next);
        ranks_.worker.leave();
        return how;
    } catch (const server::Dismissed& let_go) {
        ranks_.worker.leave();
        if (let_go.how() == Exit::error) throw;
        return let_go.how();
    } catch (const std::exception& e) {
        fail(comm::message_of(e));
    }
}

Exit ServerCourse::work_and_serve(steps::StepRunner& runner, const Next& next) {
    ranks_.worker.make_others_by([&](server::WorkItem item) { make_too(item, next); });
    for (;;) {
        const server::Order order =
            ranks_.roles.works(ranks_.me) ? ranks_.worker.next() : ranks_.worker.wait_for_order();
        if (order.what == server::Order::What::end) return order.how;
        make(runner, order.item, next);
    }
}

}  // namespace civitas::train
