#include "area_average.hpp"
#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/base/process.hpp"
#include "civitas/comm/agree.hpp"
#include "image_file.hpp"
#include "listing.hpp"
#include "opened.hpp"
#include "preprocess/maps/bar.hpp"
#include "preprocess/maps/tally.hpp"

#include <algorithm>
#include <sstream>

namespace civitas::images {
namespace {

namespace fs = std::filesystem;
using comm::Communicator;

constexpr std::size_t most_named = 10;

class FolderSource : public ImageSource {
public:
    FolderSource(fs::path folder, ImageList list, maps::Gdal& gdal, std::int64_t pixels)
        : folder_(std::move(folder)), list_(std::move(list)), reader_(gdal), pixels_(pixels) {}

    [[nodiscard]] std::int64_t size() const override { return std::ssize(list_.names); }
    [[nodiscard]] data::TileRecord record(std::int64_t image) const override {
        data::TileRecord record;
        record.label = facts(image).label;
        record.split = facts(image).split;
        return record;
    }
    void read(std::int64_t image, std::span<std::uint8_t> rgb) override {
        if (const Fault fault = try_to_read(image, rgb); fault.any())
            throw Error(text(file(image), " could be read before, and cannot now: ", fault.details),
                        Hint{"keep the folder as it is while it is read"});
    }

    [[nodiscard]] Fault try_to_read(std::int64_t image, std::span<std::uint8_t> rgb) {
        require_same_file(image);
        return reader_.read(file(image), pixels_, rgb);
    }
    [[nodiscard]] fs::path file(std::int64_t image) const {
        return folder_ / list_.names[static_cast<std::size_t>(image)];
    }
    /// Leaves out the images for which `kept` is 0.
    void keep(const std::vector<std::uint8_t>& kept) {
        ImageList rest{std::move(list_.classes), {}, {}, std::move(list_.left_out)};
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (kept[i] == 0) continue;
            rest.names.push_back(std::move(list_.names[i]));
            rest.facts.push_back(list_.facts[i]);
        }
        list_ = std::move(rest);
    }

private:
    [[nodiscard]] const ImageFacts& facts(std::int64_t image) const {
        return list_.facts[static_cast<std::size_t>(image)];
    }
    /// What one rank cannot see is no image that cannot be read.
    void require_same_file(std::int64_t image) const {
        std::error_code failed;
        const std::uintmax_t bytes = fs::file_size(file(image), failed);
        if (!failed && bytes == facts(image).bytes) return;
        throw Error(
            text(file(image), " has ", failed ? failed.message() : text(bytes, " bytes"), " on ",
                 host_name(), ", and ", facts(image).bytes, " bytes where the folder was listed"),
            Hint{"keep the folder on a disk that all nodes share, and as it is"});
    }

    fs::path folder_;
    ImageList list_;
    ImageReader reader_;
    std::int64_t pixels_;
};

/// What a rank finds of its share of the images.
struct Found {
    std::vector<std::uint8_t> kept;
    maps::Tally left_out;
    std::string named;  ///< a line for each of the first that are left out
};

Found look_at(FolderSource& source, Range images, const maps::Settings& settings, maps::Bar& bar) {
    std::vector<std::uint8_t> rgb(
        static_cast<std::size_t>(settings.pixels * settings.pixels * channels));
    Found found;
    std::size_t named = 0;
    for (std::int64_t i = images.begin; i < images.end(); ++i) {
        const Fault fault = source.try_to_read(i, rgb);
        found.kept.push_back(fault.any() ? 0 : 1);
        if (fault.any()) ++found.left_out[fault.reason];
        if (fault.any() && named++ < most_named)
            found.named += printable(text(source.file(i).string(), " is left out (", fault.reason,
                                          "): ", fault.details)) +
                           '\n';
        bar.advance(i - images.begin + 1);
    }
    return found;
}

/// The first lines of all ranks, which have their shares in order.
void tell_left_out(const Communicator& ranks, const std::string& mine, const maps::Tally& left_out,
                   Log& log) {
    std::string all;
    for (const std::string& lines : ranks.all_gather(mine)) all += lines;
    if (!ranks.is_root()) return;
    std::istringstream in(all);
    std::string line;
    for (std::size_t i = 0; i < most_named && std::getline(in, line); ++i) log.warn(line);
    for (const auto& [reason, count] : left_out) log.info(text("left out: ", count, "  ", reason));
}

}  // namespace

Opened open_folder(const Communicator& ranks, const maps::Settings& settings, maps::Gdal& gdal,
                   Log& log) {
    ImageList list = share_list(ranks, comm::agree(ranks, [&] {
                                    return ranks.is_root()
                                               ? list_images(settings.images, settings.test_share)
                                               : ImageList{};
                                }));
    data::StoreHeader header = image_header(settings, list.classes);
    header.sources = {{settings.images, ""}};
    header.numbers = {{"test_share", settings.test_share}};
    maps::Tally left_out = std::move(list.left_out);
    const std::int64_t all = std::ssize(list.names);
    auto source =
        std::make_unique<FolderSource>(settings.images, std::move(list), gdal, settings.pixels);

    const Range mine = block_range(all, index(ranks.rank()), ranks.size());
    maps::Bar bar(ranks, log, "looking at images", mine.count);
    Found found = comm::agree(ranks, [&] { return look_at(*source, mine, settings, bar); });
    left_out.merge(found.left_out);
    header.dropped = maps::total(ranks, left_out);
    tell_left_out(ranks, found.named, header.dropped, log);
    source->keep(ranks.all_gather(std::span<const std::uint8_t>(found.kept)));
    comm::agree(ranks, [&] {
        if (source->size() == 0)
            throw Error(text("none of the ", all, " images in ", settings.images, " can be read"),
                        Hint{"gdalinfo FILE says what one of them is"});
    });
    return {std::move(source), std::move(header)};
}

}  // namespace civitas::images
