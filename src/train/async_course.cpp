#include "async_course.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <type_traits>

namespace civitas::train {
namespace {

/// What the root tells the others when all rest.
struct Order {
    Exit end = Exit::done;
    bool goes_on = false;  ///< another round
};

void rest_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

}  // namespace

tasks::Wish AsyncCourse::make_steps(StepRunner& runner, std::vector<Figures>& made,
                                    const std::function<tasks::BetweenSteps()>& next) {
    tasks::Wish wish = tasks::Wish::go_on;
    while (const auto batch = counter_.take(rest_a_little)) {
        StepEnd end = runner.step_at(batch->number, next);
        const std::int64_t staleness = counter_.end(*batch);
        const report::StepRecord& r = end.record;
        ensure(r.values.size() <= Figures{}.values.size(),
               "a step has no more values than are told");
        Figures figures{
            r.step, index(ranks_.rank()), staleness, r.seconds, r.communication_share, r.bytes, {}};
        for (std::size_t i = 0; i < r.values.size(); ++i) figures.values[i] = r.values[i].value;
        made.push_back(figures);
        like_ = std::move(end.record);
        if (end.next.wish == tasks::Wish::go_on) continue;
        wish = std::max(wish, end.next.wish);
        counter_.stop();
    }
    return wish;
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

StepsEnd AsyncCourse::rest(const std::vector<Figures>& made, tasks::Wish wish) {
    StepsEnd end;
    auto all = ranks_.all_gather(std::span<const Figures>(made));
    end.next.wish = static_cast<tasks::Wish>(ranks_.max(static_cast<std::int64_t>(wish)));
    state_.go_to(counter_.next());
    state_.models().generator.refresh();
    state_.models().discriminator.refresh();
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
    (void)ranks_.broadcast(Order{Exit::done, true});
    rests_ = false;
    std::vector<Figures> made;
    tasks::BetweenSteps last;
    const tasks::Wish wish = make_steps(runner, made, [&] { return last = next(); });
    if (made.empty()) last = next();
    StepsEnd end = rest(made, std::max(wish, last.wish));
    last.wish = end.next.wish;
    end.next = last;
    return end;
}

void AsyncCourse::end(Exit how) { (void)ranks_.broadcast(Order{how, false}); }

Exit AsyncCourse::follow(StepRunner& runner, const std::function<tasks::BetweenSteps()>& next) {
    for (;;) {
        const Order order = ranks_.broadcast(Order{});
        if (!order.goes_on) return order.end;
        std::vector<Figures> made;
        const tasks::Wish wish = make_steps(runner, made, next);
        (void)rest(made, wish);
    }
}

}  // namespace civitas::train
