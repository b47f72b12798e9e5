#include "async_course.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <type_traits>

namespace civitas::train {
namespace {

/// What the root tells the others when all rest.
struct Order {
    enum class What { round, end, fail };
    What what = What::end;
    Exit how = Exit::done;  ///< of the end
};

void rest_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

}  // namespace

void AsyncCourse::make_step(StepRunner& runner, const async::TakenBatch& batch, Share& share,
                            const std::function<tasks::BetweenSteps()>& next) {
    StepEnd end = runner.step_at(batch.number, next);
    const std::int64_t staleness = counter_.end(batch);
    const report::StepRecord& r = end.record;
    Figures figures{
        r.step, index(ranks_.rank()), staleness, r.seconds, r.communication_share, r.bytes, {}};
    ensure(r.values.size() <= figures.values.size(), "a step has no more values than are told");
    for (std::size_t i = 0; i < r.values.size(); ++i) figures.values[i] = r.values[i].value;
    share.made.push_back(figures);
    like_ = std::move(end.record);
    share.wish = std::max(share.wish, end.next.wish);
}

AsyncCourse::Share AsyncCourse::make_steps(StepRunner& runner,
                                           const std::function<tasks::BetweenSteps()>& next) {
    Share share;
    while (const auto batch = counter_.take(rest_a_little)) {
        try {
            make_step(runner, *batch, share, next);
        } catch (...) {
            share.error = std::current_exception();
            (void)counter_.end(*batch);
        }
        if (share.error || share.wish != tasks::Wish::go_on) counter_.stop();
    }
    return share;
}

report::StepRecord AsyncCourse::record_of(const Figures& f) const {
    report::StepRecord r = *like_;
    r.step = f.step;
    r.seconds = f.seconds;
    r.communication_share = f.communication_share;
    r.bytes = f.bytes;
    for (std::size_t i = 0; i < r.values.size(); ++i) r.values[i].value = f.values[i];
    r.made_alone = {f.rank, f.staleness};
    return r;
}

StepsEnd AsyncCourse::rest(const Share& mine) {
    met_for_error_ = ranks_.any(mine.error != nullptr);
    comm::require_agreement(ranks_, mine.error);
    StepsEnd end;
    auto all = ranks_.all_gather(std::span<const Figures>(mine.made));
    end.next.wish = static_cast<tasks::Wish>(ranks_.max(static_cast<std::int64_t>(mine.wish)));
    state_.go_to(counter_.next());
    state_.models().generator.rest();
    state_.models().discriminator.rest();
    ranks_.barrier();
    rests_ = true;
    std::sort(all.begin(), all.end(),
              [](const Figures& a, const Figures& b) { return a.step < b.step; });
    untold_.insert(untold_.end(), all.begin(), all.end());
    if (!like_) return end;
    for (const Figures& figures : untold_) end.records.push_back(record_of(figures));
    untold_.clear();
    return end;
}

StepsEnd AsyncCourse::advance(StepRunner& runner, std::int64_t limit,
                              const std::function<tasks::BetweenSteps()>& next) {
    counter_.open(state_.steps_done(), limit);
    (void)ranks_.broadcast(Order{.what = Order::What::round});
    rests_ = false;
    Share share = make_steps(runner, next);
    tasks::BetweenSteps last = next();
    share.wish = std::max(share.wish, last.wish);
    StepsEnd end = rest(share);
    last.wish = end.next.wish;
    end.next = last;
    return end;
}

void AsyncCourse::end(Exit how) {
    (void)ranks_.broadcast(Order{.what = Order::What::end, .how = how});
}

void AsyncCourse::end_by_error() {
    if (!met_for_error_) (void)ranks_.broadcast(Order{.what = Order::What::fail});
}

Exit AsyncCourse::follow(StepRunner& runner, const std::function<tasks::BetweenSteps()>& next) {
    for (;;) {
        const Order order = ranks_.broadcast(Order{});
        if (order.what == Order::What::end) return order.how;
        if (order.what == Order::What::fail) throw AgreedError("the first rank has failed", false);
        (void)rest(make_steps(runner, next));
    }
}

}  // namespace civitas::train
