#pragma once
/// What civitas-preprocess writes, whatever it reads.
#include "civitas/io/outputs.hpp"
#include "preprocess/map_report/page.hpp"
#include "preview.hpp"
#include "settings.hpp"
#include "tiles.hpp"

#include <optional>

namespace civitas::maps {

/// Every file of it that settings name.
[[nodiscard]] std::vector<io::NamedFile> outputs_of(const Settings& settings);

/// The store, its preview and its report.
class StoreOutput : public TileSink {
public:
    /// Both outlive it.
    StoreOutput(const comm::Communicator& ranks, const Settings& settings)
        : ranks_(ranks), settings_(settings) {}

    void explain(map_report::Account&& account) override { account_ = std::move(account); }
    void keep_none(const data::StoreHeader& header, Log& log) override;
    void begin(const data::StoreHeader& header, std::int64_t tiles) override;
    void take(std::span<const data::TileRecord> records,
              std::span<const data::PackedTile> tiles) override;
    /// After the last tile. Collective; throws AgreedError.
    void finish(Log& log);

private:
    [[nodiscard]] io::Replace replace() const { return io::replace_if(settings_.overwrite); }
    void count_from(const data::StoreHeader& header);
    void write_report(Log& log) const;

    const comm::Communicator& ranks_;
    const Settings& settings_;
    std::optional<data::StoreWriter> store_;
    std::optional<Preview> preview_;
    data::StoreHeader header_ = {};
    map_report::Account account_ = {};
    map_report::Kept kept_ = {};  ///< of this rank's tiles
};

}  // namespace civitas::maps
