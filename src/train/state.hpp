#pragma once
/// What a run has learnt, and how it is saved and taken up again.
#include "model.hpp"
#include "persistence.hpp"
#include "run_folder.hpp"
#include "setting.hpp"

#include "civitas/base/log.hpp"
#include "civitas/comm/mesh.hpp"

#include <filesystem>

namespace civitas::train {

class RunState {
public:
    RunState(const Configuration& configuration, const Setting& setting, const comm::Mesh& mesh,
             const data::TileStore& store);

    [[nodiscard]] Net& generator() noexcept { return generator_; }
    [[nodiscard]] Net& discriminator() noexcept { return discriminator_; }
    [[nodiscard]] const Net& generator() const noexcept { return generator_; }
    [[nodiscard]] const Net& discriminator() const noexcept { return discriminator_; }
    [[nodiscard]] std::int64_t steps_done() const noexcept { return done_; }
    void step_done() noexcept { ++done_; }

    /// Take up what --resume says. Collective; throws AgreedError.
    void resume(const RunFolder& folder, Log& log);
    /// Write a checkpoint unless this step's exists already. Collective; throws AgreedError when
    /// replicas have drifted apart or the disk is full.
    void save(const RunFolder& folder, Log& log);
    /// Sum over all arrays, the same on any layout. Collective.
    [[nodiscard]] std::uint64_t fingerprint() const;

private:
    [[nodiscard]] std::vector<checkpoint::Shard> held() const;
    [[nodiscard]] std::vector<checkpoint::Shard> shared() const;
    /// Of what lies along the data axis, and of what the tensor axis does not divide. Collective.
    void require_equal_copies() const;
    void load(const std::filesystem::path& file, Log& log);
    void accept(const checkpoint::Header& header, Log& log) const;

    const Configuration& config_;
    const comm::Mesh& mesh_;
    std::map<std::string, std::string> facts_, notes_;
    Net generator_, discriminator_;
    std::int64_t done_ = 0;
    std::int64_t saved_ = -1;
};

}  // namespace civitas::train
