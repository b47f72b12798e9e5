#pragma once
/// What civitas-preprocess writes, whatever it reads.
#include "preview.hpp"
#include "settings.hpp"
#include "tiles.hpp"

#include <optional>

namespace civitas::maps {

/// The store and its preview.
class StoreOutput : public TileSink {
public:
    /// Both outlive it.
    StoreOutput(const comm::Communicator& ranks, const Settings& settings)
        : ranks_(ranks), settings_(settings) {}

    void begin(const data::StoreHeader& header, std::int64_t tiles) override;
    void take(std::span<const data::TileRecord> records,
              std::span<const data::PackedTile> tiles) override;
    /// After the last tile. Collective; throws AgreedError.
    void finish(Log& log);

private:
    [[nodiscard]] io::Replace replace() const { return io::replace_if(settings_.overwrite); }

    const comm::Communicator& ranks_;
    const Settings& settings_;
    std::optional<data::StoreWriter> store_;
    std::optional<Preview> preview_;
};

}  // namespace civitas::maps
