#include "store_records.hpp"

#include "store_header.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace civitas::data {
namespace {

namespace fs = std::filesystem;
using R = const TileRecord&;

bool has_labels(const StoreHeader& header) { return !header.label_names.empty(); }

/// Give each dataset of the records its name and what it holds of one.
template <class Visit>
void for_each_table(const StoreHeader& header, Visit&& visit) {
    visit("/origin", [](R r) { return std::array{r.easting, r.northing}; });
    visit("/cover", [](R r) { return r.cover; });
    visit("/variance", [](R r) { return std::array{r.variance}; });
    visit("/source", [](R r) { return std::array{r.source}; });
    visit("/split", [](R r) { return std::array{static_cast<std::uint8_t>(r.split)}; });
    if (has_labels(header)) visit("/labels", [](R r) { return std::array{r.label}; });
}

/// The rows of one dataset.
template <class Get>
auto rows_of(std::span<const TileRecord> records, Get&& get) {
    std::vector<typename std::invoke_result_t<Get, R>::value_type> values;
    for (R r : records)
        for (const auto v : get(r)) values.push_back(v);
    return values;
}

constexpr const char* foreign = "the store is damaged or of another program: make the tiles again";

void require_shape(const hdf5::H5File& h5, const fs::path& file, const std::string& name,
                   const hdf5::Extent& expected, const char* hint = foreign) {
    const hdf5::Extent found = h5.shape(name);
    if (found != expected)
        throw Error(
            text(file, ": ", name, " is ", join(found, " x "), ", not ", join(expected, " x ")),
            Hint{hint});
}

/// Of classes tiles have no channels, of images three.
void require_tiles(const hdf5::H5File& h5, const fs::path& file, std::uint64_t tiles,
                   const StoreHeader& header) {
    const auto side = static_cast<std::uint64_t>(header.pixels);
    hdf5::Extent expected{tiles, side, side};
    if (header.content == Content::rgb) expected.push_back(3);
    require_shape(
        h5, file, "/tiles", expected,
        "tiles of classes are N x H x W; those of images N x H x W x 3, with the attribute "
        "content = rgb");
    if (h5.type("/tiles") != hdf5::ElementType::u8)
        throw Error(text(file, ": the elements of /tiles are not u8"), Hint{foreign});
}

std::uint64_t tiles_of(const hdf5::H5File& h5, const fs::path& file, const StoreHeader& header) {
    const hdf5::Extent tiles = h5.shape("/tiles");
    const std::uint64_t n = tiles.empty() ? 0 : tiles[0];
    if (n == 0) throw Error(text(file, " holds no tile"), Hint{"make the tiles again"});
    require_tiles(h5, file, n, header);
    require_shape(h5, file, "/origin", {n, 2});
    require_shape(h5, file, "/cover", {n, 3});
    for (const char* name : {"/variance", "/source", "/split"}) require_shape(h5, file, name, {n});
    if (has_labels(header)) require_shape(h5, file, "/labels", {n});
    constexpr std::uint64_t least_bytes = 16;  // of a tile and its place in any index
    const std::uint64_t size = fs::file_size(file);
    if (n > size / least_bytes)
        throw Error(text(file, " announces ", n, " tiles, but has only ", size, " bytes"),
                    Hint{"the file is damaged: copy or make it again"});
    return n;
}

}  // namespace

void check_records(std::span<const TileRecord> records, const StoreHeader& header) {
    constexpr float rounding = 1e-3F;
    const auto is_share = [](float c) { return c >= -rounding && c <= 1 + rounding; };
    for (std::size_t i = 0; i < records.size(); ++i) {
        R r = records[i];
        std::string wrong;
        if (!std::isfinite(r.easting) || !std::isfinite(r.northing)) wrong = "no place";
        if (!std::all_of(r.cover.begin(), r.cover.end(), is_share)) wrong = "a cover beyond 0 to 1";
        if (!std::isfinite(r.variance)) wrong = "no variance";
        if (r.split != Split::train && r.split != Split::test) wrong = "an unknown split";
        if (r.source != 0 && r.source >= header.sources.size()) wrong = "an unknown source";
        if (has_labels(header) && r.label >= header.label_names.size())
            wrong = text("label ", r.label, " of ", header.label_names.size(), " classes");
        if (!wrong.empty())
            throw Error(text("tile ", i, " of ", records.size(), " has ", wrong),
                        Hint{"the store is damaged: copy or make it again"});
    }
}

void create_records(hdf5::H5File& h5, std::uint64_t tiles, const StoreHeader& header) {
    for_each_table(header, [&](const char* name, auto get) {
        using Row = std::invoke_result_t<decltype(get), R>;
        hdf5::Extent shape{tiles};
        if (std::tuple_size_v < Row >> 1) shape.push_back(std::tuple_size_v<Row>);
        h5.create_dataset(
            {.name = name, .type = hdf5::element_type<typename Row::value_type>(), .shape = shape});
    });
}

void write_records(hdf5::H5File& h5, std::int64_t first, std::span<const TileRecord> records,
                   const StoreHeader& header) {
    if (records.empty()) return;
    for_each_table(header, [&](const char* name, auto get) {
        const auto rows = rows_of(records, get);
        using T = typename std::decay_t<decltype(rows)>::value_type;
        h5.write_rows<T>(name, {first, std::ssize(records)}, rows);
    });
}

std::vector<TileRecord> read_records(const hdf5::H5File& h5, const fs::path& file,
                                     const StoreHeader& header) {
    std::vector<TileRecord> records(tiles_of(h5, file, header));
    const auto each = [&]<class T>(const char* name, std::type_identity<T>, auto put) {
        const auto values = h5.read_all<T>(name);
        const std::size_t columns = values.size() / records.size();
        for (std::size_t i = 0; i < records.size(); ++i) put(records[i], &values[i * columns]);
    };
    each("/origin", std::type_identity<double>(), [](TileRecord& r, const double* v) {
        r.easting = v[0];
        r.northing = v[1];
    });
    each("/cover", std::type_identity<float>(),
         [](TileRecord& r, const float* v) { std::copy_n(v, 3, r.cover.begin()); });
    each("/variance", std::type_identity<float>(),
         [](TileRecord& r, const float* v) { r.variance = *v; });
    each("/source", std::type_identity<std::uint16_t>(),
         [](TileRecord& r, const std::uint16_t* v) { r.source = *v; });
    each("/split", std::type_identity<std::uint8_t>(),
         [](TileRecord& r, const std::uint8_t* v) { r.split = static_cast<Split>(*v); });
    if (has_labels(header))
        each("/labels", std::type_identity<std::uint16_t>(),
             [](TileRecord& r, const std::uint16_t* v) { r.label = *v; });
    try {
        check_records(records, header);
    } catch (const Error& e) {
        throw Error(text(file, ": ", e.what()));
    }
    return records;
}

void write_index(hdf5::H5File& h5, std::span<const StoredTile> tiles) {
    std::vector<std::uint64_t> values;
    for (const StoredTile& t : tiles) values.insert(values.end(), {t.offset, t.bytes, t.hash});
    h5.create_dataset(
        {.name = index_name, .type = hdf5::ElementType::u64, .shape = {tiles.size(), 3}});
    h5.write_rows<std::uint64_t>(index_name, {0, std::ssize(tiles)}, values);
}

std::vector<StoredTile> read_index(const hdf5::H5File& h5, std::uint64_t tiles) {
    if (!h5.has(index_name) || h5.shape(index_name) != hdf5::Extent{tiles, 3}) return {};
    const auto values = h5.read_all<std::uint64_t>(index_name);
    std::vector<StoredTile> index(tiles);
    for (std::size_t i = 0; i < index.size(); ++i)
        index[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
    return index;
}

std::uint64_t hash_of(std::span<const std::byte> stored) {
    std::uint64_t sum = mix64(stored.size(), stored.size());
    for (std::size_t i = 0; i < stored.size(); i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, stored.data() + i, std::min(sizeof word, stored.size() - i));
        sum += mix64(i, word);
    }
    return sum;
}

void DescriptionHash::add(std::span<const TileRecord> records, const StoreHeader& header) {
    std::vector<std::byte> bytes;
    constexpr std::size_t at_once = 4096;
    for (; !records.empty(); records = records.subspan(std::min(at_once, records.size()))) {
        bytes.clear();
        for (R r : records.first(std::min(at_once, records.size())))
            for_each_table(header, [&](const char*, auto get) {
                const auto row = get(r);
                const auto raw = std::as_bytes(std::span(row));
                bytes.insert(bytes.end(), raw.begin(), raw.end());
            });
        hash_.add(bytes);
    }
}

std::string DescriptionHash::finish(std::span<const StoredTile> index, const StoreHeader& header) {
    hash_.add(std::as_bytes(index));
    const std::string words = to_bytes(header);
    hash_.add(std::as_bytes(std::span(words)));
    return hash_.digits();
}

}  // namespace civitas::data
