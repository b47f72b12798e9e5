#include "civitas/runs/persistence.hpp"

#include <algorithm>
#include <utility>

namespace civitas::runs {
namespace {

/// What is read or written of an array on a disk does not stay in memory.
std::function<void(const at::Tensor&)> let_go_of(const optim::LocalArray& array) {
    if (array.offloaded_to == nullptr) return {};
    return [memory = array.offloaded_to](const at::Tensor& part) { memory->let_go(part); };
}

template <class Which>
std::vector<checkpoint::Shard> those(const std::vector<LocalShard>& local, Which&& which) {
    std::vector<checkpoint::Shard> some;
    for (const LocalShard& one : local)
        if (which(one)) some.push_back(one.shard);
    return some;
}

}  // namespace

std::vector<LocalShard> local_shards(const tasks::Models& models, Coordinate here) {
    std::vector<LocalShard> shards;
    for (const auto& net : models.all())
        for (const auto& [name, array] : net->arrays()) {
            const bool writes = (array.split_over_data || here[Axis::data] == 0) &&
                                (array.split_over_tensor || here[Axis::tensor] == 0);
            shards.push_back({{name, array.shape, array.box, array.view, writes, let_go_of(array)},
                              array.split_over_data,
                              array.split_over_tensor});
        }
    return shards;
}

std::vector<checkpoint::Shard> writing_shards(const std::vector<LocalShard>& local, Coordinate here,
                                              MeshShape mesh) {
    std::vector<checkpoint::Shard> writing;
    for (const LocalShard& one : local) {
        checkpoint::Shard& shard = writing.emplace_back(one.shard);
        shard.writes = one.split_over_tensor || here[Axis::tensor] == 0;
        if (one.split_over_data) continue;
        const Range mine = block_range(shard.box[0].count, here[Axis::data], mesh[Axis::data]);
        shard.box[0] = {shard.box[0].begin + mine.begin, mine.count};
        shard.view = shard.view.narrow(0, mine.begin, mine.count);
    }
    return writing;
}

std::vector<LocalShard> without(const std::string& word, std::vector<LocalShard> local) {
    std::erase_if(local, [&](const LocalShard& one) {
        return one.shard.name.find(word) != std::string::npos;
    });
    return local;
}

std::vector<checkpoint::Shard> replicated_over(Axis axis, const std::vector<LocalShard>& local) {
    return those(local, [&](const LocalShard& one) {
        return axis == Axis::data ? !one.split_over_data : !one.split_over_tensor;
    });
}

void load(const comm::Mesh& mesh, const std::filesystem::path& file,
          const std::vector<LocalShard>& local) {
    const comm::Communicator& world = mesh.world();
    checkpoint::load(world, file, replicated_over(Axis::data, local), mesh.group(Axis::data));
    const auto split = [&](bool over_tensor) {
        return those(local, [=](const LocalShard& one) {
            return one.split_over_data && one.split_over_tensor == over_tensor;
        });
    };
    if (const auto shards = split(false); world.any(!shards.empty()))
        checkpoint::load(world, file, shards, mesh.group(Axis::tensor));
    if (const auto shards = split(true); world.any(!shards.empty()))
        checkpoint::load(world, file, shards);
}

}  // namespace civitas::runs
