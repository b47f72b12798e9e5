#include "store_output.hpp"

#include "civitas/comm/agree.hpp"

namespace civitas::maps {
namespace {

/// Of all ranks. Collective.
map_report::Kept kept_of_all(const comm::Communicator& ranks, const map_report::Kept& mine) {
    std::vector<std::uint64_t> counts;
    for (const auto& splits : mine) counts.insert(counts.end(), splits.begin(), splits.end());
    ranks.sum_in_place(counts);
    map_report::Kept all(mine.size());
    auto count = counts.begin();
    for (auto& splits : all)
        for (auto& tiles : splits) tiles = static_cast<std::int64_t>(*count++);
    return all;
}

}  // namespace

std::vector<io::NamedFile> outputs_of(const Settings& settings) {
    return {{"--output", settings.output, {io::FileFormat::hdf5}},
            {"--preview", settings.preview, {io::FileFormat::png}},
            {"--report", settings.report, {io::FileFormat::html}}};
}

void StoreOutput::count_from(const data::StoreHeader& header) {
    header_ = header;
    kept_.resize(header.label_names.empty() ? header.sources.size() : header.label_names.size());
}

void StoreOutput::keep_none(const data::StoreHeader& header, Log& log) {
    count_from(header);
    if (!settings_.report.empty()) write_report(log);
}

void StoreOutput::begin(const data::StoreHeader& header, std::int64_t tiles) {
    store_.emplace(ranks_, settings_.output, header, tiles, replace());
    if (!settings_.preview.empty() || !settings_.report.empty())
        preview_.emplace(ranks_, tiles, header);
    count_from(header);
}

void StoreOutput::take(std::span<const data::TileRecord> records,
                       std::span<const data::PackedTile> tiles) {
    store_->append(records, tiles);
    if (preview_) preview_->take(tiles);
    for (const auto& record : records)
        ++kept_.at(header_.label_names.empty() ? record.source : record.label)
              .at(static_cast<std::size_t>(record.split));
}

void StoreOutput::write_report(Log& log) const {
    const auto kept = kept_of_all(ranks_, kept_);
    comm::on_root(ranks_, [&] {
        const auto sheet = preview_ ? io::png_of(preview_->sheet()) : std::vector<std::byte>{};
        io::write_text_file(settings_.report, map_report::to_page(header_, account_, kept, sheet),
                            replace());
    });
    log.info(text("wrote ", settings_.report));
}

void StoreOutput::finish(Log& log) {
    store_->close();
    log.info(text("wrote ", settings_.output));
    if (!settings_.preview.empty()) {
        preview_->write(settings_.preview, replace());
        log.info(text("wrote ", settings_.preview));
    }
    if (!settings_.report.empty()) write_report(log);
}

}  // namespace civitas::maps
