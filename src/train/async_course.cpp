#include "async_course.hpp"

#include "civitas/base/clock.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace civitas::train {
namespace {

/// What the root tells the others when all rest.
struct Order {
    enum class What { round, end, fail };
    What what = What::end;
    Exit how = Exit::done;  ///< of the end
};

/// Steps that a rank tells of before the root has listened.
constexpr std::size_t steps_in_ring = 64;

void rest_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

}  // namespace

std::size_t AsyncCourse::bytes_for(int ranks) {
    return static_cast<std::size_t>(ranks) * FiguresRing::bytes_for(steps_in_ring);
}

AsyncCourse::AsyncCourse(const comm::Communicator& ranks, const async::BatchCounter& counter,
                         std::span<std::byte> memory, runs::RunState& state)
    : ranks_(ranks),
      counter_(counter),
      state_(state),
      pace_(static_cast<std::size_t>(ranks.size())),
      paces_(static_cast<std::size_t>(ranks.size()), report::Pace(1)) {
    const std::size_t bytes = FiguresRing::bytes_for(steps_in_ring);
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks.size()); ++rank)
        rings_.emplace_back(memory.subspan(rank * bytes, bytes), steps_in_ring);
}

void AsyncCourse::put(const Figures& figures) {
    untold_.push_back(figures);
    const FiguresRing& ring = rings_.at(static_cast<std::size_t>(index(ranks_.rank())));
    if (!ranks_.is_root())
        while (!untold_.empty() && ring.put(untold_.front())) untold_.pop_front();
}

void AsyncCourse::tell(const StepListener& listener) {
    for (const FiguresRing& ring : rings_)
        while (const auto figures = ring.take()) untold_.push_back(*figures);
    std::sort(untold_.begin(), untold_.end(),
              [](const Figures& a, const Figures& b) { return a.time < b.time; });
    for (; !untold_.empty(); untold_.pop_front()) listener.ended(record_of(untold_.front()));
}

report::StepRecord AsyncCourse::record_of(const Figures& f) {
    report::StepRecord r = *like_;
    r.step = f.step;
    r.time = f.time;
    r.seconds = f.seconds;
    r.communication_share = f.communication_share;
    r.bubble_share = f.waiting_share;
    r.bytes = f.bytes;
    for (std::size_t i = 0; i < r.values.size(); ++i) r.values[i].value = f.values[i];
    report::Pace& own = paces_.at(static_cast<std::size_t>(f.rank));
    r.made_alone = {f.rank, f.staleness, ranks_.size(), pace_.step_ended(f.time),
                    own.step_ended(f.time)};
    return r;
}

void AsyncCourse::make_step(steps::StepRunner& runner, const Begun& begun, Share& share,
                            const std::function<tasks::BetweenSteps()>& next) {
    steps::StepEnd end = runner.step_at(begun.step.batch, next);
    const std::int64_t staleness = counter_.end(begun.step);
    const report::StepRecord& r = end.record;
    const double with_wait = begun.waited_s + r.seconds;
    Figures figures{.step = r.step,
                    .rank = index(ranks_.rank()),
                    .staleness = staleness,
                    .time = seconds_since_1970(),
                    .seconds = r.seconds,
                    .communication_share = r.communication_share * r.seconds / with_wait,
                    .waiting_share = begun.waited_s / with_wait,
                    .bytes = r.bytes,
                    .values = {}};
    ensure(r.values.size() <= figures.values.size(), "a step has no more values than are told");
    for (std::size_t i = 0; i < r.values.size(); ++i) figures.values[i] = r.values[i].value;
    put(figures);
    share.wish = std::max(share.wish, end.next.wish);
    if (share.wish != tasks::Wish::go_on || files_are_due(state_, end.next)) counter_.stop();
}

std::optional<AsyncCourse::Begun> AsyncCourse::begin(std::int64_t batch,
                                                     const std::function<void()>& meanwhile) const {
    comm::WaitObserver* const observer = ranks_.wait_observer();
    std::optional<Stopwatch> waits;
    const auto step = counter_.begin(batch, [&] {
        if (!waits && observer != nullptr) observer->begin_wait(ranks_.row_in_job());
        if (!waits) waits.emplace();
        meanwhile();
        rest_a_little();
    });
    if (waits && observer != nullptr) observer->end_wait();
    if (!step) return std::nullopt;
    return Begun{*step, waits ? waits->seconds() : 0};
}

AsyncCourse::Share AsyncCourse::make_steps(steps::StepRunner& runner,
                                           const std::function<tasks::BetweenSteps()>& next,
                                           const std::function<void()>& meanwhile) {
    Share share;
    for (auto batch = counter_.claim(); batch && !share.error;) {
        std::vector<std::int64_t> mine{*batch};
        runner.expect(mine);
        const auto begun = begin(*batch, meanwhile);
        if (!begun) break;
        batch = counter_.claim();
        if (batch) mine.push_back(*batch);
        try {
            runner.expect(mine);
            make_step(runner, *begun, share, next);
            meanwhile();
        } catch (...) {
            share.error = std::current_exception();
            (void)counter_.end(begun->step);
            counter_.fail();
        }
    }
    return share;
}

tasks::Wish AsyncCourse::rest(const Share& mine) {
    met_for_error_ = ranks_.any(mine.error != nullptr);
    comm::require_agreement(ranks_, mine.error);
    const std::vector<Figures> left(untold_.begin(), untold_.end());
    const auto all = ranks_.all_gather(std::span<const Figures>(left));
    untold_.clear();
    if (ranks_.is_root()) untold_.assign(all.begin(), all.end());
    const auto wish = static_cast<tasks::Wish>(ranks_.max(static_cast<std::int64_t>(mine.wish)));
    state_.go_to(counter_.next());
    for (const auto& net : state_.models().all()) net->rest();
    ranks_.barrier();
    rests_ = true;
    return wish;
}

tasks::BetweenSteps AsyncCourse::advance(steps::StepRunner& runner, std::int64_t limit,
                                         const StepListener& listener) {
    counter_.open(state_.steps_done(), limit);
    const double now = seconds_since_1970();
    pace_.begin(now);
    for (report::Pace& pace : paces_) pace.begin(now);
    like_ = runner.like();
    (void)ranks_.broadcast(Order{.what = Order::What::round});
    rests_ = false;
    Share share = make_steps(runner, listener.next, [&] { tell(listener); });
    tasks::BetweenSteps last = listener.next();
    share.wish = std::max(share.wish, last.wish);
    last.wish = rest(share);
    tell(listener);
    return last;
}

void AsyncCourse::end(Exit how) {
    (void)ranks_.broadcast(Order{.what = Order::What::end, .how = how});
}

void AsyncCourse::end_by_error(const std::string& /*why*/) {
    if (!met_for_error_) (void)ranks_.broadcast(Order{.what = Order::What::fail});
}

Exit AsyncCourse::follow(steps::StepRunner& runner,
                         const std::function<tasks::BetweenSteps()>& next) {
    for (;;) {
        const Order order = ranks_.broadcast(Order{});
        if (order.what == Order::What::end) return order.how;
        if (order.what == Order::What::fail) throw AgreedError("the first rank has failed", false);
        (void)rest(make_steps(runner, next, [] {}));
    }
}

}  // namespace civitas::train
