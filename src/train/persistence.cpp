#include "persistence.hpp"

#include "civitas/base/printable.hpp"

#include <algorithm>
#include <sstream>

namespace civitas::train {
namespace {

std::string joined(const std::vector<std::int64_t>& values) {
    std::string words;
    for (const auto v : values) words += text(words.empty() ? "" : ",", v);
    return words;
}

std::vector<std::int64_t> parted(const std::string& words) {
    std::vector<std::int64_t> values;
    std::istringstream in(words);
    for (std::string word; std::getline(in, word, ',');) values.push_back(std::stoll(word));
    return values;
}

const std::string& fact(const std::map<std::string, std::string>& facts, const std::string& key) {
    const auto it = facts.find(key);
    if (it == facts.end())
        throw Error(text("the checkpoint does not say its ", key),
                    Hint{"was it written by this program?"});
    return it->second;
}

bool is_whole(const checkpoint::Shard& shard) {
    for (std::size_t d = 0; d < shard.shape.size(); ++d)
        if (shard.box[d].count != shard.shape[d]) return false;
    return true;
}

}  // namespace

std::map<std::string, std::string> facts_of(const Task& task, const Recipe& recipe,
                                            const data::TileStore& store) {
    const nn::GanDescription gan = task.gan();
    return {{"net", task.net},
            {"nz", std::to_string(gan.nz)},
            {"generator-widths", joined(task.generator_widths)},
            {"discriminator-widths", joined(task.discriminator_widths)},
            {"coding", task.coding},
            {"precision", task.precision},
            {"batch", std::to_string(task.batch)},
            {"micro-batch", std::to_string(task.micro_batch)},
            {"seed", std::to_string(task.seed)},
            {"sync-batch-norm", task.sync_batch_norm ? "true" : "false"},
            {"ema", recipe.ema > 0 ? "kept" : "not kept"},
            {"tiles", store.hash()},
            {"tile-metres", text(store.header().tile_metres)},
            {"tile-pixels", std::to_string(store.header().pixels)},
            {"crs-epsg", std::to_string(store.header().crs_epsg)}};
}

std::map<std::string, std::string> notes_of(const Configuration& c, comm::MeshShape mesh,
                                            int threads, const std::string& instruction_set) {
    const std::int64_t ranks = c.task.sync_batch_norm ? mesh.data : 1;
    return {{"mesh", to_string(mesh)},
            {"threads", std::to_string(threads)},
            {"instruction-set", instruction_set},
            {"device", c.layout.stage_devices.empty() ? c.layout.device : c.layout.stage_devices},
            {"reduction", c.layout.reduction},
            {"beta1", text(c.recipe.beta1)},
            {"beta2", text(c.recipe.beta2)},
            {"normalisation-group", std::to_string(c.task.micro_batch * ranks)},
            {"loss", c.recipe.loss},
            {"generator-lr", text(c.recipe.generator_lr)},
            {"discriminator-lr", text(c.recipe.discriminator_lr)},
            {"instance-noise", text(c.recipe.instance_noise)},
            {"translate", text(c.recipe.translate)},
            {"label-smoothing", text(c.recipe.label_smoothing)},
            {"ema-decay", text(c.recipe.ema)}};
}

Task task_of(const std::map<std::string, std::string>& facts) {
    Task task;
    task.net = fact(facts, "net");
    task.nz = std::stoll(fact(facts, "nz"));
    task.generator_widths = parted(fact(facts, "generator-widths"));
    task.discriminator_widths = parted(fact(facts, "discriminator-widths"));
    task.coding = fact(facts, "coding");
    task.precision = fact(facts, "precision");
    task.batch = std::stoll(fact(facts, "batch"));
    task.micro_batch = std::stoll(fact(facts, "micro-batch"));
    task.seed = std::stoull(fact(facts, "seed"));
    task.sync_batch_norm = fact(facts, "sync-batch-norm") == "true";
    return task;
}

std::vector<Difference> differences(const std::map<std::string, std::string>& stored,
                                    const std::map<std::string, std::string>& now) {
    std::vector<Difference> found;
    for (const auto& [key, value] : now) {
        const auto it = stored.find(key);
        const std::string before = it == stored.end() ? "(unknown)" : printable(it->second);
        if (before != value) found.push_back({key, before, value});
    }
    return found;
}

void require_same_task(const std::vector<Difference>& found,
                       const std::vector<std::string>& allowed) {
    for (const Difference& d : found)
        if (std::find(allowed.begin(), allowed.end(), d.key) == allowed.end())
            throw UsageError(
                text("the checkpoint was made with ", d.key, " = ", d.stored, ", this run has ",
                     d.now),
                Hint{text("--config with the run's config.ini, another --run, or --allow-change ",
                          d.key)});
}

std::vector<checkpoint::Shard> held_shards(const Net& generator, const Net& discriminator,
                                           comm::Coordinate here) {
    std::vector<checkpoint::Shard> shards;
    for (const Net* net : {&generator, &discriminator})
        for (const auto& [name, array] : net->arrays()) {
            const auto held = array.view.sizes().vec();
            const bool first = array.slice || here.tensor == 0;
            shards.push_back({name, nn::logical_shape(held, array.slice),
                              nn::box_of(held, array.slice), array.view, here.data == 0 && first});
        }
    return shards;
}

std::vector<checkpoint::Shard> shared_shards(const std::vector<checkpoint::Shard>& held,
                                             comm::Coordinate here, comm::MeshShape mesh) {
    std::vector<checkpoint::Shard> shared = held;
    for (checkpoint::Shard& shard : shared) {
        shard.writes = !is_whole(shard) || here.tensor == 0;
        const Range mine = share_of(shard.box[0].count, here.data, mesh.data);
        shard.box[0] = {shard.box[0].begin + mine.begin, mine.count};
        shard.view = shard.view.narrow(0, mine.begin, mine.count);
    }
    return shared;
}

std::vector<checkpoint::Shard> whole_ones(const std::vector<checkpoint::Shard>& held) {
    std::vector<checkpoint::Shard> some;
    std::copy_if(held.begin(), held.end(), std::back_inserter(some), is_whole);
    return some;
}

}  // namespace civitas::train
