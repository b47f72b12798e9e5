#pragma once
/// The tile store: an HDF5 file of square tiles of ground, one class per pixel, or of images. Maps
/// become one, and generated plans are one, so every tool reads both. src/data/README.md lists the
/// datasets.
#include "civitas/base/coding.hpp"
#include "civitas/base/land_class.hpp"
#include "civitas/base/numbers.hpp"
#include "civitas/base/sampling.hpp"
#include "civitas/comm/communicator.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace civitas::io {
class RawFile;
}

namespace civitas::data {

/// What the bytes of a tile are: a LandClass a pixel, or its red, green and blue one after the
/// other.
enum class Content : std::uint8_t { classes, rgb };
[[nodiscard]] std::string_view to_string(Content content);
/// Bytes a pixel.
[[nodiscard]] constexpr std::int64_t channels_of(Content content) {
    return content == Content::rgb ? 3 : 1;
}
/// The symmetries that samples are drawn from where nobody says: what is up in a photograph stays
/// up.
[[nodiscard]] constexpr Symmetries symmetries_of(Content content) {
    return content == Content::rgb ? Symmetries::flip : Symmetries::all;
}

enum class Split : std::uint8_t { train = 0, test = 1 };

/// What is known of one tile.
struct TileRecord {
    double easting = 0;            ///< of the upper left corner, metres
    double northing = 0;           ///< of the upper left corner, metres
    std::array<float, 3> cover{};  ///< share of each LandClass; of a generated plan: before arg-max
    float variance = 0;            ///< of the pixels coded other 0, road 0.5, building 1
    std::uint16_t source = 0;      ///< row of `/sources`
    Split split = Split::train;
    std::uint16_t label = 0;  ///< row of `/label_names`, in a store that has them
};

struct SourceFile {
    std::string name;
    std::string hash;  ///< XXH3-128, hexadecimal
};

/// What is known of the whole store.
struct StoreHeader {
    std::int64_t crs_epsg = 0;  ///< 0: none
    std::string crs_wkt = {};
    double tile_metres = 250;
    std::int64_t pixels = 256;  ///< of a tile's side
    /// How the store was made: thresholds, seeds, a generator's fingerprint. Kept as attributes.
    std::map<std::string, double> numbers = {};
    std::map<std::string, std::uint64_t> counts = {};  ///< the same, exact to the last bit
    std::map<std::string, std::string> texts = {};
    /// Tiles and features left out, by reason. Kept as attributes `dropped: REASON`.
    std::map<std::string, std::int64_t> dropped = {};
    std::vector<SourceFile> sources = {};
    std::string licence = {};
    std::string command = {};
    Content content = Content::classes;
    std::vector<std::string> label_names = {};  ///< of the classes of tiles; empty: no labels

    /// Of a tile, uncompressed.
    [[nodiscard]] std::int64_t tile_bytes() const { return pixels * pixels * channels_of(content); }
};

class TileCache;

/// Where the pixels of a tile lie in the file, compressed, and the hash of those bytes.
struct StoredTile {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t hash = 0;
};

/// Write a store in one go; StoreWriter takes it tile by tile. Collective: every rank passes its
/// own tiles (maybe none); they are stored in rank order. `pixels` holds header.tile_bytes() per
/// record, row by row from the north-west. Throws AgreedError.
void write_tile_store(const comm::Communicator& ranks, const std::filesystem::path& file,
                      const StoreHeader& header, std::span<const TileRecord> records,
                      std::span<const std::uint8_t> pixels);

/// A store open for reading on many ranks at once: rank 0 reads and checks the description and
/// where each tile lies, and hands both out; each rank then reads bytes by itself, from any of its
/// threads, without HDF5. The store's own index says where tiles lie; in one without (of another
/// program, or packed anew) the chunks are listed in one pass, and every tile is read once.
class TileStore {
public:
    /// Opens a store on all ranks. Collective. Throws AgreedError, with a hint, for anything that
    /// is not a whole tile store, and when a rank sees another file under this name than rank 0.
    [[nodiscard]] static TileStore open(const comm::Communicator& ranks,
                                        const std::filesystem::path& file);

    [[nodiscard]] const StoreHeader& header() const noexcept { return header_; }
    [[nodiscard]] const std::vector<TileRecord>& records() const noexcept { return records_; }
    [[nodiscard]] std::int64_t size() const noexcept {
        return static_cast<std::int64_t>(records_.size());
    }
    /// Rows of one split, ascending.
    [[nodiscard]] std::vector<TileIndex> rows(Split split) const;
    /// Hash of everything a run depends on: the stored bytes of `/tiles`, `/split`, sizes, what the
    /// bytes are, labels and their names, and where there are several sources, likewise these.
    [[nodiscard]] const std::string& hash() const noexcept { return hash_; }
    /// Whether the store's own index and checksum were there, and right.
    [[nodiscard]] bool indexed() const noexcept { return indexed_; }
    /// As it was opened.
    [[nodiscard]] const std::filesystem::path& file() const;
    /// The bytes of a tile, header().tile_bytes() of them. Thread-safe. Throws Error, with a hint,
    /// for a tile that is not what was stored.
    void read(TileIndex tile, std::span<std::uint8_t> pixels) const;
    /// From now on tiles are read through a cache of this store's, null: through none. It outlives
    /// what is read through it.
    void read_through(TileCache* cache) { cache_ = cache; }

private:
    explicit TileStore(const std::filesystem::path& file);
    void inflate(TileIndex tile, std::span<std::uint8_t> pixels) const;
    [[nodiscard]] std::uint64_t hash_of_rows(Range rows) const;
    [[nodiscard]] std::uint64_t hash_of_meaning() const;
    std::shared_ptr<const io::RawFile> file_;
    StoreHeader header_;
    std::vector<TileRecord> records_;
    std::vector<StoredTile> tiles_;
    std::string hash_;
    bool indexed_ = false;
    TileCache* cache_ = nullptr;
};

/// Throws UsageError, with a hint, for a store of images: whatever learns, compares or traces plans
/// needs classes.
void require_classes(const TileStore& store);
/// Throws UsageError, with a hint, for a coding that the store's bytes cannot have.
void require_coding(const TileStore& store, Coding coding);

}  // namespace civitas::data
