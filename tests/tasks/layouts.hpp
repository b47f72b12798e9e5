#pragma once
/// Layouts of a run, none of which may change a bit of it, and a few of them that stand for all.
#include "civitas/planner/options.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace civitas::tasks::runs {

/// Who shares memory along the data axis.
enum class Company { none, pairs, all };

/// A choice for every factor. The precision does change bits: runs of one precision are compared.
struct LayoutCase {
    int data = 1, pipe = 1;
    std::string schedule = "1f1b";
    bool recompute = false, redraw = false, reversed = false;
    std::string precision = "fp32";
    ShardLevel shard = ShardLevel::none;
    Company company = Company::none;
    bool on_disk = false;  ///< what the optimizer alone needs

    [[nodiscard]] int ranks() const { return data * pipe; }
    /// One word per factor; no two factors share a word.
    [[nodiscard]] std::array<std::string, 10> words() const {
        return {text("data=", data),
                text("pipe=", pipe),
                schedule,
                recompute ? "recompute" : "save",
                redraw ? "redraw" : "keep",
                reversed ? "reversed" : "same",
                precision,
                shard == ShardLevel::none ? "whole" : std::string(to_string(shard)),
                company == Company::none    ? "apart"
                : company == Company::pairs ? "pairs"
                                            : "together",
                on_disk ? "disk" : "memory"};
    }
    [[nodiscard]] std::string name() const {
        std::string all;
        for (const auto& word : words()) all += (all.empty() ? "" : " ") + word;
        return all;
    }
    [[nodiscard]] planner::Configuration applied_to(planner::Configuration c) const {
        c.problem.precision = net::parse_precision(precision);
        c.layout_options.mesh = MeshRequest(text("data=", data, ",pipe=", pipe));
        c.layout_options.schedule = planner::schedule_named(schedule);
        c.layout_options.shard = shard;
        c.layout_options.weight_copies =
            company == Company::none ? WeightCopies::rank : WeightCopies::node;
        c.layout_options.node_size = company == Company::pairs ? 2 * pipe : 0;
        c.layout_options.offload = on_disk ? Offload::disk : Offload::none;
        c.layout_options.offload_folder = std::filesystem::temp_directory_path();
        c.layout_options.recompute = recompute;
        c.layout_options.redraw = redraw;
        c.layout_options.placement =
            reversed ? planner::StageOrder::reversed : planner::StageOrder::same;
        return c;
    }
};

/// In turn, as the disk is, so that runs do not become three times as many.
inline Company company_of(int data, std::size_t number) {
    if (data == 1) return Company::none;
    if (data == 2) return number % 2 == 0 ? Company::all : Company::none;
    return std::array{Company::all, Company::pairs, Company::none}[number % 3];
}

/// Every case that `micro_batches` allow: interleaving moves P of them at a time. One rank on the
/// data axis has nothing to share out.
inline std::vector<LayoutCase> all_layouts(std::int64_t micro_batches) {
    std::vector<LayoutCase> all;
    for (const int data : {1, 2, 4})
        for (const int pipe : {1, 2, 4})
            for (const char* schedule :
                 {"naive", "gpipe", "1f1b", "interleaved:2", "zero-bubble", "gan"})
                for (int bits = 0; bits < 16; ++bits)
                    for (const ShardLevel shard : {ShardLevel::none, ShardLevel::optimizer,
                                                   ShardLevel::gradients, ShardLevel::parameters})
                        if ((schedule[0] != 'i' || micro_batches / data % pipe == 0) &&
                            (data > 1 || shard == ShardLevel::none))
                            all.push_back({data, pipe, schedule, (bits & 1) != 0, (bits & 2) != 0,
                                           (bits & 4) != 0, (bits & 8) != 0 ? "bf16" : "fp32",
                                           shard, company_of(data, all.size()),
                                           all.size() % 5 == 1});
    return all;
}

using WordPair = std::pair<std::string, std::string>;

inline std::set<WordPair> pairs_of(const LayoutCase& layout) {
    std::set<WordPair> pairs;
    const auto words = layout.words();
    for (std::size_t i = 0; i < words.size(); ++i)
        for (std::size_t j = i + 1; j < words.size(); ++j) pairs.emplace(words[i], words[j]);
    return pairs;
}

/// A few cases that together have every pair of choices that any of `all` has: again and again the
/// first of those that bring most new pairs.
inline std::vector<LayoutCase> pairwise(const std::vector<LayoutCase>& all) {
    std::vector<std::set<WordPair>> brings;
    for (const auto& layout : all) brings.push_back(pairs_of(layout));
    std::vector<LayoutCase> chosen;
    for (;;) {
        const auto best =
            std::max_element(brings.begin(), brings.end(),
                             [](const auto& a, const auto& b) { return a.size() < b.size(); });
        if (best == brings.end() || best->empty()) return chosen;
        chosen.push_back(all[static_cast<std::size_t>(best - brings.begin())]);
        const std::set<WordPair> covered = *best;
        for (auto& left : brings)
            std::erase_if(left, [&](const WordPair& pair) { return covered.contains(pair); });
    }
}

}  // namespace civitas::tasks::runs
