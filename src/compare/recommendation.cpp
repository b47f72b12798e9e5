#include "civitas/compare/recommendation.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>

namespace civitas::compare {
namespace {

/// Speeds that are so close change places when they are measured again.
constexpr double told_apart = 1.05;

std::string times(double ratio) { return fixed(ratio, 2) + " times"; }

bool learns_otherwise(const Outcome& o) {
    return o.strategy.family == Family::async || o.strategy.family == Family::population;
}

std::int64_t bytes_of(const Outcome& o) {
    if (!o.measured()) return o.predicted ? o.predicted->bytes : 0;
    const auto& bytes = o.rounds.front().bytes;
    const auto all = bytes.find("all");
    return all == bytes.end() ? 0 : all->second;
}

class Reasons {
public:
    explicit Reasons(const Comparison& c) : c_(c) {
        for (const Outcome& o : c.outcomes)
            if (c.speed(o) && !learns_otherwise(o)) ranked_.push_back(&o);
        std::stable_sort(ranked_.begin(), ranked_.end(), [&](const Outcome* a, const Outcome* b) {
            return *c.speed(*a) > *c.speed(*b);
        });
        if (!ranked_.empty()) best_ = simplest_of_ties();
    }

    [[nodiscard]] const Outcome* best() const { return best_; }
    [[nodiscard]] std::vector<std::string> all() const {
        std::vector<std::string> sentences;
        for (const std::string& sentence :
             {of_speed(), of_next(), of_spread(), of_time(), of_memory(), of_own_pace(),
              of_models(), of_resources()})
            if (!sentence.empty()) sentences.push_back(sentence);
        return sentences;
    }

private:
    [[nodiscard]] double speed(const Outcome& o) const { return *c_.speed(o); }
    [[nodiscard]] bool ties(const Outcome& o) const {
        return speed(o) * told_apart >= speed(*ranked_.front());
    }
    [[nodiscard]] const Outcome* simplest_of_ties() const {
        return *std::min_element(ranked_.begin(), ranked_.end(),
                                 [&](const Outcome* a, const Outcome* b) {
                                     if (ties(*a) != ties(*b)) return ties(*a);
                                     return ties(*a) && a < b;
                                 });
    }

    [[nodiscard]] std::string of_speed() const {
        const std::string verb = c_.on_paper() ? " should make " : " makes ";
        std::string words =
            text(best_->strategy.name, verb, fixed(speed(*best_), 1), " tiles a second");
        const auto gained = c_.speed_up(*best_);
        if (gained && best_->strategy.family != Family::process)
            words += text(", ", times(*gained), " what one process makes");
        if (const auto share = c_.efficiency(*best_); share && best_->strategy.ranks > 1)
            words += text(", an efficiency of ", percent(*share));
        return words + '.';
    }
    [[nodiscard]] std::string of_next() const {
        if (best_ != ranked_.front())
            return text(ranked_.front()->strategy.name, " is ",
                        percent(speed(*ranked_.front()) / speed(*best_) - 1),
                        " faster, too little to be told apart: of the two ", best_->strategy.name,
                        " is the simpler.");
        if (ranked_.size() < 2) return "";
        const Outcome& next = *ranked_[1];
        return text("The next, ", next.strategy.name, ", makes ",
                    percent(1 - speed(next) / speed(*best_)), " fewer", where_it_goes(next), '.');
    }
    [[nodiscard]] std::string of_spread() const {
        if (best_->rounds.size() < 2) return "";
        const Spread s = spread_of(*best_, &Round::tiles_per_second);
        const double differ = (s.most - s.least) / s.median;
        if (differ < 2 * (told_apart - 1)) return "";
        return text("Rounds of ", best_->strategy.name, " differ by ", percent(differ),
                    ": more --rounds and --steps, or a machine that does nothing else, tell more.");
    }
    [[nodiscard]] static const char* who_waits(const Outcome& o) {
        return o.strategy.family == Family::server ? "its workers wait " : "its pipe waits ";
    }
    [[nodiscard]] static std::string where_it_goes(const Outcome& o) {
        if (!o.measured())
            return o.predicted && o.predicted->waiting > 0.01
                       ? text(": its pipe waits ", percent(o.predicted->waiting), " of a step")
                       : "";
        const double waiting = spread_of(o, &Round::waiting).median;
        const double talking = spread_of(o, &Round::communication).median;
        if (std::max(waiting, talking) < 0.01) return "";
        return waiting > talking ? text(": ", who_waits(o), percent(waiting), " of a step")
                                 : text(": it communicates ", percent(talking), " of a step");
    }
    [[nodiscard]] std::string of_time() const {
        if (!best_->measured() || best_->strategy.ranks == 1) return "";
        const double waiting = spread_of(*best_, &Round::waiting).median;
        return text(
            "Of a step of it ", percent(spread_of(*best_, &Round::communication).median),
            " is communication, with the waiting in it",
            waiting > 0 ? text(", and ", who_waits(*best_), percent(waiting), " of it") : "", '.');
    }
    [[nodiscard]] std::string of_memory() const {
        const std::int64_t mine = bytes_of(*best_);
        if (mine == 0) return "";
        const auto least = *std::min_element(
            ranked_.begin(), ranked_.end(),
            [](const Outcome* a, const Outcome* b) { return bytes_of(*a) < bytes_of(*b); });
        const std::string words =
            text("A rank ", c_.on_paper() ? "needs " : "holds ", megabytes(mine));
        const double saved = 1 - static_cast<double>(bytes_of(*least)) / static_cast<double>(mine);
        if (least == best_ || saved < 0.1) return words + ", about the least of all.";
        return words + text("; where memory is short, ", least->strategy.name, " does with ",
                            megabytes(bytes_of(*least)), " at ",
                            percent(speed(*least) / speed(*best_)), " of the speed.");
    }
    [[nodiscard]] const Outcome* of_family(Family family) const {
        for (const Outcome& o : c_.outcomes)
            if (o.strategy.family == family && c_.speed(o)) return &o;
        return nullptr;
    }
    [[nodiscard]] std::string of_own_pace() const {
        const Outcome* const async = of_family(Family::async);
        if (async == nullptr) return "";
        const double ratio = speed(*async) / speed(*best_);
        const std::string missed =
            async->measured() ? text(" (", fixed(spread_of(*async, &Round::staleness).median, 1),
                                     " here, on average)")
                              : "";
        return text("Updates without waiting make ", times(ratio),
                    " as many, but a step misses those", " of others", missed,
                    ", so each run learns a little otherwise: ",
                    ratio > told_apart ? "they may pay, most of all" : "they pay only",
                    " where ranks differ in speed.");
    }
    [[nodiscard]] std::string of_models() const {
        const Outcome* const models = of_family(Family::population);
        if (models == nullptr) return "";
        return text("Where several models are wanted, population makes ", fixed(speed(*models), 1),
                    " tiles a second with ", models->strategy.models, " of them together.");
    }
    /// Whether the ranks have no more cores than one process.
    [[nodiscard]] bool same_cores() const {
        const auto gained = c_.speed_up(*best_);
        const auto share = c_.efficiency(*best_);
        return gained && share && best_->strategy.ranks > 1 && *share >= 0.99 * *gained;
    }
    [[nodiscard]] std::string of_resources() const {
        const Subject& s = c_.subject;
        if (s.nodes > 1)
            return "Between nodes messages are slow: what exchanges least there, sums of gradients "
                   "or a pipe, goes across, and a tensor axis stays within a node.";
        if (s.gpus > 0 && s.ranks > s.gpus)
            return text(s.ranks, " ranks share ", counted(s.gpus, "GPU", "GPUs"),
                        ": ranks beyond the GPUs add messages, not speed.");
        if (s.gpus == 0 && same_cores())
            return "One process and several ranks compute with the same cores: what ranks gain is "
                   "what threads of one process lose where they meet.";
        return "";
    }

    const Comparison& c_;
    std::vector<const Outcome*> ranked_;  ///< by speed
    const Outcome* best_ = nullptr;
};

}  // namespace

std::string resources_in_words(const Subject& s) {
    const std::string of_node =
        s.gpus == 0 ? text("only CPUs (", counted(s.cores, "core", "cores"),
                           s.nodes > 1 ? " each" : "", ')')
                    : (s.gpus == 1 ? std::string("one GPU") : text(s.gpus, " GPUs"));
    return s.nodes == 1 ? of_node : text("several nodes (", s.nodes, "), each with ", of_node);
}

Recommendation recommend(const Comparison& c) {
    const Reasons reasons(c);
    if (reasons.best() == nullptr)
        return {"",
                c.has_any()
                    ? "None is recommended: what could be compared learns otherwise than one "
                      "process would."
                    : "No strategy could be compared, each for the reason told of it.",
                {}};
    const Strategy& s = reasons.best()->strategy;
    return {s.name,
            text("With ", resources_in_words(c.subject), " and ", c.subject.ranks,
                 c.subject.ranks == 1 ? " rank" : " ranks", ", take ", s.name, ": ", s.words, '.'),
            reasons.all()};
}

}  // namespace civitas::compare
