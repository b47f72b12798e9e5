#include "civitas/inference/evaluation.hpp"

#include "evaluation_sets.hpp"

#include "civitas/comm/agree.hpp"

namespace civitas::inference {
namespace {

Figures figures(const quality::ImageSet& set, const quality::ImageSet& test, Seed seed) {
    return {quality::mean_cover(set, LandClass::building),
            quality::mean_cover(set, LandClass::road), quality::sliced_wasserstein(set, test, seed),
            quality::mean_pairwise_difference(set)};
}

}  // namespace

void check(const Comparison& o) {
    if (o.checkpoint.empty() == o.plans.empty())
        throw UsageError(o.plans.empty() ? "neither --checkpoint nor --plans is given"
                                         : "both --checkpoint and --plans are given",
                         Hint{"--checkpoint RUN for what its generator draws, or --plans STORE for "
                              "the tiles of a store"});
    if (o.count < 2) throw UsageError(text("--count ", o.count, ": expected at least 2"));
    if (o.pixels != 0 && (o.pixels < 16 || o.pixels > 4096))
        throw UsageError(text("--pixels ", o.pixels, ": expected 16 to 4096"));
}

Evaluation evaluate(const comm::Communicator& world, const Comparison& o, Log& log) {
    const EvaluationSource source = EvaluationSource::open(world, o, log);
    Evaluation found;
    comm::on_root(world, [&] {
        const auto [plans, test, train] = source.sets();
        const Seed seed{o.seed};
        found = {plans.soft.count, figures(plans.soft, test.soft, seed),
                 figures(train.soft, test.soft, seed),
                 figures(quality::shuffled(test, seed).soft, test.soft, seed)};
    });
    return found;
}

quality::Report report_on(const comm::Communicator& world, const Comparison& o, Log& log) {
    const EvaluationSource source = EvaluationSource::open(world, o, log);
    quality::Report report;
    comm::on_root(world, [&] {
        auto [plans, test, train] = source.sets();
        const std::int64_t pixels = plans.soft.count * plans.soft.pixels * plans.soft.pixels;
        quality::ReportInput input{std::move(plans), std::move(test), std::move(train),
                                   source.learnt(),  Seed{o.seed},    {}};
        input.wished = source.wished(std::ssize(input.plans.stored));
        std::optional<Progress> progress;
        if (pixels > many_pixels) progress.emplace(log, "comparing", quality::report_parts);
        std::int64_t done = 0;
        report = quality::report_on(std::move(input), [&] {
            if (progress) progress->advance(++done);
        });
        report.cover = source.cover(log);
        report.seams = source.seams();
        report.likeness = source.likeness();
    });
    return report;
}

}  // namespace civitas::inference
