#include "civitas/runs/facts.hpp"

#include "width_facts.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/runs/problem_facts.hpp"
#include "civitas/schedule/gan.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iomanip>
#include <limits>
#include <sstream>
#include <utility>

namespace civitas::runs {
namespace {

using Fact = std::pair<const std::string, std::string>;

const Fact& fact(const std::map<std::string, std::string>& facts, const std::string& key) {
    const auto it = facts.find(key);
    if (it == facts.end())
        throw Error(text("the checkpoint does not say its ", key),
                    Hint{"was it written by this program?"});
    return *it;
}

const std::string mean_kept = "kept";
const std::string samples_fact = "samples-seen";
const std::string kernels_fact = "kernels";
const std::string task_fact = "task";  // those of a GAN do not say
const std::string optimizer_fact = "optimizer";
const std::string condition_fact = "condition";
/// What older checkpoints, which do not say it, were made with.
const std::map<std::string, std::string> as_it_was{
    {kernels_fact, "aten"}, {optimizer_fact, "adam"}, {condition_fact, "none"},
    {"momentum", "0.9"},    {"weight-decay", "0"},    {"lr-schedule", "constant"}};

std::optional<std::string> stored_value(const std::map<std::string, std::string>& stored,
                                        const std::string& key) {
    const bool widths = key == generator_fact || key == discriminator_fact;
    const auto said = stored.find(key);
    if (widths && said != stored.end() && said->second.empty())
        return older_widths(fact(stored, "net").second, key);
    for (const auto* const words : {&stored, &as_it_was})
        if (const auto it = words->find(key); it != words->end()) return it->second;
    return std::nullopt;
}

/// Throws Error for words that are no whole number of this type, or a negative one.
template <class Number>
Number parsed(const Fact& fact, const std::string& words) {
    Number value = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
    if (error != std::errc{} || end != words.data() + words.size() || value < Number{})
        throw Error(text("the checkpoint says ", fact.first, " = '", printable(fact.second),
                         "', which is no number"),
                    Hint{"was it written by this program?"});
    return value;
}

std::int64_t whole_number(const Fact& fact) { return parsed<std::int64_t>(fact, fact.second); }

std::int64_t sources_in(const Fact& fact) {
    const std::int64_t count = whole_number(fact);
    if (count >= 2 && count <= most_sources) return count;
    throw Error(text("the checkpoint says ", fact.first, " = ", count, ", expected 2 to ",
                     most_sources, " sources"),
                Hint{"was it written by this program?"});
}

std::vector<std::int64_t> whole_numbers(const Fact& fact) {
    std::vector<std::int64_t> values;
    std::istringstream in(fact.second);
    for (std::string word; std::getline(in, word, ',');)
        values.push_back(parsed<std::int64_t>(fact, word));
    return values;
}

/// The fewest digits, six at least where there are more, that read back to the same number.
std::string exact(double value) {
    std::ostringstream out;
    for (int digits = 6; digits <= std::numeric_limits<double>::max_digits10; ++digits) {
        out.str("");
        out << std::setprecision(digits) << value;
        if (std::strtod(out.str().c_str(), nullptr) == value) break;
    }
    return out.str();
}

/// What tells the nets of a task from others of their name.
std::map<std::string, std::string> facts_of_nets(const planner::Problem& problem) {
    if (problem.task() == TaskKind::classify)
        return {{task_fact, std::string(to_string(problem.task()))},
                {"classes", std::to_string(problem.nets.choice().classes)},
                {"pixels", std::to_string(problem.nets.pixels())},
                {"labels", std::string(to_string(problem.labels))}};
    std::map<std::string, std::string> facts{
        {"nz", std::to_string(problem.nets.nz())},
        {generator_fact, widths_of(problem.nets[schedule::gan::generator])},
        {discriminator_fact, widths_of(problem.nets[schedule::gan::discriminator])},
        {condition_fact, std::string(to_string(problem.condition()))}};
    if (problem.condition() == ConditionKind::source)
        facts["classes"] = std::to_string(problem.nets.conditions());
    return facts;
}

}  // namespace

std::string optimizer_words(const planner::Hyperparameters& hyperparameters) {
    const std::string kind(to_string(hyperparameters.optimizer));
    return hyperparameters.moments() > 0 ? kind : kind + " without momentum";
}

std::map<std::string, std::string> facts_of_problem(
    const planner::Problem& problem, const planner::Hyperparameters& hyperparameters) {
    std::map<std::string, std::string> facts = facts_of_nets(problem);
    facts.merge(std::map<std::string, std::string>{
        {"net", problem.nets.name()},
        {"coding", std::string(to_string(problem.coding()))},
        {"precision", std::string(to_string(problem.precision))},
        {kernels_fact, to_string(problem.kernels().choice)},
        {"batch", std::to_string(problem.batch)},
        {"micro-batch", std::to_string(problem.micro_batch)},
        {"seed", std::to_string(problem.seed)},
        {"sync-batch-norm", problem.sync_batch_norm ? "true" : "false"},
        {optimizer_fact, optimizer_words(hyperparameters)}});
    if (problem.task() == TaskKind::gan)
        facts["ema"] = hyperparameters.ema > 0 ? mean_kept : "not kept";
    return facts;
}

std::map<std::string, std::string> facts_of(const planner::Problem& problem,
                                            const planner::Hyperparameters& hyperparameters,
                                            const data::TileStore& store) {
    std::map<std::string, std::string> facts = facts_of_problem(problem, hyperparameters);
    facts.merge(
        std::map<std::string, std::string>{{"tiles", store.hash()},
                                           {"tile-metres", exact(store.header().tile_metres)},
                                           {"tile-pixels", std::to_string(store.header().pixels)},
                                           {"crs-epsg", std::to_string(store.header().crs_epsg)}});
    return facts;
}

std::map<std::string, std::string> notes_of(const planner::Configuration& c, MeshShape mesh,
                                            int threads, const std::string& instruction_set) {
    const std::int64_t ranks = c.problem.sync_batch_norm ? mesh[Axis::data] : 1;
    const planner::Hyperparameters& h = c.hyperparameters;
    std::map<std::string, std::string> notes{
        {"mesh", to_string(mesh)},
        {"threads", std::to_string(threads)},
        {"instruction-set", instruction_set},
        {"device", c.layout_options.devices()},
        {"reduction", std::string(to_string(c.layout_options.reduction))},
        {"shard", std::string(to_string(c.layout_options.shard))},
        {"beta1", exact(h.beta1)},
        {"beta2", exact(h.beta2)},
        {"momentum", exact(h.momentum)},
        {"weight-decay", exact(h.weight_decay)},
        {"lr-schedule", to_string(h.rate)},
        {"normalisation-group", std::to_string(c.problem.micro_batch * ranks)},
        {"translate", exact(h.translate)},
        {"label-smoothing", exact(h.label_smoothing)}};
    if (c.problem.task() == TaskKind::classify) {
        notes["classifier-lr"] = exact(h.classifier_lr);
        return notes;
    }
    notes.merge(std::map<std::string, std::string>{{"loss", std::string(to_string(h.loss))},
                                                   {"generator-lr", exact(h.generator_lr)},
                                                   {"discriminator-lr", exact(h.discriminator_lr)},
                                                   {"instance-noise", exact(h.instance_noise)},
                                                   {"ema-decay", exact(h.ema)}});
    if (c.problem.condition() == ConditionKind::cover)
        notes["condition-weight"] = exact(h.condition_weight);
    return notes;
}

std::string kernels_of(const std::map<std::string, std::string>& facts) {
    return *stored_value(facts, kernels_fact);
}

bool keeps_moments(const std::map<std::string, std::string>& stored,
                   const std::map<std::string, std::string>& now) {
    const auto before = stored_value(stored, optimizer_fact);
    const auto after = stored_value(now, optimizer_fact);
    if (before == after) return true;
    if (after == to_string(OptimizerKind::adam))
        throw UsageError(
            text("a run cannot change from --optimizer ", printable(*before),
                 " to adam on its way: what Adam divides its moments by counts from "
                 "the first step"),
            Hint{text("another --run, or the optimizer of the checkpoint, ", printable(*before))});
    return false;
}

bool keeps_mean(const std::map<std::string, std::string>& facts) {
    const auto stored = facts.find("ema");
    return stored != facts.end() && stored->second == mean_kept;
}

void add_samples_seen(std::map<std::string, std::string>& facts, std::int64_t count) {
    facts[samples_fact] = std::to_string(count);
}

tasks::SamplesSeen samples_seen(const checkpoint::Header& header) {
    const auto stored = header.facts.find(samples_fact);
    const std::int64_t count = stored != header.facts.end()
                                   ? whole_number(*stored)
                                   : index(header.step) * whole_number(fact(header.facts, "batch"));
    return {header.step, count};
}

namespace {

std::vector<std::int64_t> widths_in(const std::map<std::string, std::string>& facts,
                                    const std::string& key) {
    (void)fact(facts, key);
    return whole_numbers({key, *stored_value(facts, key)});
}

}  // namespace

planner::Problem problem_of(const std::map<std::string, std::string>& facts) {
    const Fact& seed = fact(facts, "seed");
    planner::NetChoice choice;
    choice.net = fact(facts, "net").second;
    choice.coding = parse_coding(fact(facts, "coding").second);
    planner::Problem problem;
    if (facts.contains(task_fact)) {
        choice.task = parse_task(facts.at(task_fact));
        choice.classes = whole_number(fact(facts, "classes"));
        choice.pixels = whole_number(fact(facts, "pixels"));
        problem.labels = parse_label_source(fact(facts, "labels").second);
    } else {
        choice.nz = whole_number(fact(facts, "nz"));
        choice.generator_widths = widths_in(facts, generator_fact);
        choice.discriminator_widths = widths_in(facts, discriminator_fact);
        choice.condition = parse_condition(*stored_value(facts, condition_fact));
        if (choice.condition == ConditionKind::source)
            choice.classes = sources_in(fact(facts, "classes"));
    }
    problem.precision = net::parse_precision(fact(facts, "precision").second);
    problem.batch = whole_number(fact(facts, "batch"));
    problem.micro_batch = whole_number(fact(facts, "micro-batch"));
    problem.seed = parsed<std::uint64_t>(seed, seed.second);
    problem.sync_batch_norm = fact(facts, "sync-batch-norm").second == "true";
    problem.nets = planner::checked_nets(std::move(choice));
    planner::check_sizes(problem);
    return problem;
}

namespace {

const std::string not_said = "(unknown)";

/// A line's worth of a text.
std::string line_of(const std::string& words) {
    constexpr std::size_t most = 500;
    if (words.size() <= most) return printable(words);
    return text(printable(words.substr(0, most)), "... (", words.size(), " bytes)");
}

std::string way_to_agree(const Difference& d) {
    if (d.key == sources_fact) return "civitas-preprocess of these maps in their order";
    // The file of an older run says none, and the net's own were other ones then.
    if (d.key == generator_fact && d.stored != not_said) return text("--", d.key, ' ', d.stored);
    return "--config with the run's config.ini";
}

}  // namespace

std::vector<Difference> differences(const std::map<std::string, std::string>& stored,
                                    const std::map<std::string, std::string>& now) {
    std::vector<Difference> found;
    for (const auto& [key, value] : now) {
        const auto words = stored_value(stored, key);
        // Older checkpoints do not say them: the note of their names differs, and is only told.
        if (words == value || (!words && key == sources_fact)) continue;
        found.push_back({key, words ? line_of(*words) : not_said, line_of(value)});
    }
    return found;
}

void require_same_problem(const std::vector<Difference>& found,
                          const std::vector<std::string>& allowed) {
    for (const Difference& d : found)
        if (std::find(allowed.begin(), allowed.end(), d.key) == allowed.end())
            throw UsageError(
                text("the checkpoint was made with ", d.key, " = ", d.stored, ", this run has ",
                     d.now),
                Hint{shapes_arrays(d.key)
                         ? text(way_to_agree(d), ", or another --run")
                         : text(way_to_agree(d), ", another --run, or --allow-change ", d.key)});
}

}  // namespace civitas::runs
