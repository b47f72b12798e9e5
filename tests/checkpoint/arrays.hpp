#pragma once
/// A small net's worth of logical arrays, cut among ranks in any way. Include support/tensor.hpp
/// first.
#include "civitas/base/hash.hpp"
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/random/stream.hpp"

#include "support/agree.hpp"
#include "support/temporary.hpp"

#include <limits>
#include <map>

namespace civitas::test {

using checkpoint::Shard;

/// One folder for all ranks, made and removed by the root.
class SharedFolder {
public:
    explicit SharedFolder(const comm::Communicator& ranks) : ranks_(ranks.dup()) {
        if (ranks.is_root()) mine_.emplace("checkpoint");
        path_ = ranks.broadcast(mine_ ? mine_->path().string() : std::string());
    }
    SharedFolder(const SharedFolder&) = delete;
    SharedFolder& operator=(const SharedFolder&) = delete;
    ~SharedFolder() { ranks_.barrier(); }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::int64_t entries() const {
        return std::distance(std::filesystem::directory_iterator(path_), {});
    }

private:
    comm::Communicator ranks_;
    std::optional<TemporaryFolder> mine_;
    std::filesystem::path path_;
};

/// Logical arrays as a single process would hold them. Four-dimensional ones are channels-last.
inline std::map<std::string, at::Tensor> net() {
    std::map<std::string, at::Tensor> arrays;
    const auto add = [&](const std::string& name, at::IntArrayRef shape, at::ScalarType type) {
        const RandomStream random(Seed{1}, Purpose::weights, {.major = name_hash(name)});
        at::Tensor values = at::empty(shape, at::kDouble);
        random.normals(0, {values.data_ptr<double>(), static_cast<std::size_t>(values.numel())});
        values = values.to(type);
        if (shape.size() == 4) values = values.contiguous(at::MemoryFormat::ChannelsLast);
        arrays[name] = values;
    };
    add("/generator/parameters/deconv0.weight", {6, 5, 4, 4}, at::kFloat);
    add("/generator/parameters/deconv1.weight", {5, 13, 4, 4}, at::kFloat);
    add("/generator/optimizer/deconv1.weight/exp_avg", {5, 13, 4, 4}, at::kFloat);
    add("/generator/parameters/norm0.bias", {7}, at::kFloat);
    add("/generator/buffers/norm0.running_mean", {1031}, at::kDouble);
    add("/discriminator/parameters/linear.weight", {37, 11}, at::kDouble);
    add("/discriminator/empty", {0, 3}, at::kFloat);
    add("/discriminator/scalar", {}, at::kFloat);
    auto* odd = arrays["/generator/parameters/norm0.bias"].data_ptr<float>();
    odd[0] = -0.0F;
    odd[1] = std::numeric_limits<float>::quiet_NaN();
    odd[2] = std::numeric_limits<float>::denorm_min();
    return arrays;
}

/// This rank's shards when every array is cut along one of its dims (another for every array and
/// every `turn`); a scalar belongs to rank 0.
inline std::vector<Shard> cut(const std::map<std::string, at::Tensor>& arrays,
                              const comm::Communicator& ranks, std::int64_t turn) {
    std::vector<Shard> shards;
    for (const auto& [name, values] : arrays) {
        Shard shard = checkpoint::whole(name, values, true);
        if (values.dim() == 0) {
            shard.writes = ranks.is_root();
        } else {
            const std::int64_t dim = turn++ % values.dim();
            const Range mine = block_range(values.size(dim), index(ranks.rank()), ranks.size());
            shard.box[static_cast<std::size_t>(dim)] = mine;
            shard.view = values.narrow(dim, mine.begin, mine.count);
        }
        shards.push_back(shard);
    }
    return shards;
}

inline std::map<std::string, at::Tensor> zeros_like(std::map<std::string, at::Tensor> arrays) {
    for (auto& [name, values] : arrays) values = at::zeros_like(values);
    return arrays;
}

inline bool same_bits(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor x = a.contiguous(), y = b.contiguous();
    return x.sizes() == y.sizes() && x.scalar_type() == y.scalar_type() &&
           (x.numel() == 0 || std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0);
}

inline checkpoint::Header header(std::int64_t step) {
    return {.step = StepIndex{step},
            .facts = {{"batch", "32"}, {"seed", "18446744073709551615"}, {"licence", "©"}},
            .notes = {{"mesh", "data=2"}, {"empty", ""}},
            .configuration = "steps = 20\nnet = dcgan-64\n"};
}

}  // namespace civitas::test
