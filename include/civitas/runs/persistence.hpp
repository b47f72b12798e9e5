#pragma once
/// Between a run's state and its checkpoints: which arrays.
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/comm/mesh.hpp"
#include "civitas/tasks/models.hpp"

#include <map>
#include <string>
#include <vector>

namespace civitas::runs {

/// A shard of an array as this rank holds it, and who holds others.
struct LocalShard {
    checkpoint::Shard shard;
    bool split_over_data = false;    ///< ranks of the data axis hold other boxes of the array
    bool split_over_tensor = false;  ///< ranks of the tensor axis do
};
/// All arrays of all nets as this rank holds them: for loading and for the drift check. Of equal
/// copies the one at coordinate 0 writes.
[[nodiscard]] std::vector<LocalShard> local_shards(const tasks::Models& models, Coordinate here);
/// The shards that a save writes: `local`, those with replicas along the data axis cut along their
/// first dim so that these share the writing.
[[nodiscard]] std::vector<checkpoint::Shard> writing_shards(const std::vector<LocalShard>& local,
                                                            Coordinate here, MeshShape mesh);
/// Those of the local shards whose names do not have a word in them: `/ema/`, the means of weights
/// and statistics, or `/optimizer/`, moments.
[[nodiscard]] std::vector<LocalShard> without(const std::string& word,
                                              std::vector<LocalShard> local);
/// Those of the local shards that every rank of the data or of the tensor axis has.
[[nodiscard]] std::vector<checkpoint::Shard> replicated_over(Axis axis,
                                                             const std::vector<LocalShard>& local);

/// Loads all local shards from a file; the ranks that hold the same ones share the reading.
/// Collective over the mesh; throws AgreedError as checkpoint::load does.
void load(const comm::Mesh& mesh, const std::filesystem::path& file,
          const std::vector<LocalShard>& local);

}  // namespace civitas::runs
