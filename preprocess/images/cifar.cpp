#include "civitas/base/error.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "opened.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

namespace civitas::images {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t image_side = 32, plane = image_side * image_side, image_bytes = 3 * plane;

/// One of the two sets, as their page describes them.
struct Format {
    const char* name;
    const char* classes;       ///< the file of names, one a line
    std::int64_t label_bytes;  ///< before an image; the last is its label

    [[nodiscard]] std::int64_t record_bytes() const { return label_bytes + image_bytes; }
};
constexpr std::array formats{Format{"CIFAR-10", "batches.meta.txt", 1},
                             Format{"CIFAR-100", "fine_label_names.txt", 2}};

const Format& format_of(const fs::path& file) {
    for (const Format& format : formats)
        if (fs::exists(file.parent_path() / format.classes)) return format;
    throw Error(text("beside ", file, " lies neither batches.meta.txt (CIFAR-10) nor ",
                     "fine_label_names.txt (CIFAR-100)"),
                Hint{"unpack the whole of cifar-10-binary.tar.gz or cifar-100-binary.tar.gz, from "
                     "https://www.cs.toronto.edu/~kriz/cifar.html"});
}

std::vector<std::string> classes_of(const fs::path& file) {
    constexpr std::uint64_t most_bytes = 1 << 16;
    const fs::path list = file.parent_path() / format_of(file).classes;
    std::istringstream in(io::read_text_file(list, most_bytes));
    std::vector<std::string> names;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (!line.empty()) names.push_back(line);
    }
    if (names.size() < 2)
        throw Error(text(list, " names ", names.size(), " classes"), Hint{"unpack it again"});
    return names;
}

/// A file of the set.
struct Batch {
    io::RawFile file;
    std::int64_t images = 0;
    data::Split split{};
};

Batch open_batch(const fs::path& name) {
    if (!fs::exists(name))
        throw UsageError(text("there is no file ", name), Hint{"--cifar data_batch_1.bin ..."});
    const std::int64_t record = format_of(name).record_bytes();
    Batch batch{io::RawFile::open_to_read(name)};
    const auto bytes = static_cast<std::int64_t>(batch.file.size());
    if (bytes == 0 || bytes % record != 0)
        throw Error(text(name, " has ", bytes, " bytes: ", bytes / record, " images of ",
                         format_of(name).name, ", of ", record, " bytes each, and ", bytes % record,
                         " bytes more"),
                    Hint{"it is cut short or of another kind: fetch and unpack it again"});
    batch.images = bytes / record;
    batch.split =
        name.filename().string().starts_with("test") ? data::Split::test : data::Split::train;
    return batch;
}

class CifarSource : public ImageSource {
public:
    explicit CifarSource(const std::vector<std::string>& files)
        : format_(format_of(files.front())), classes_(classes_of(files.front())) {
        for (const fs::path file : files) {
            if (classes_of(file) != classes_)
                throw Error(text(file, " and ", files.front(), " are of other classes"),
                            Hint{"one store for each set, in two commands"});
            batches_.push_back(open_batch(file));
            read_labels(batches_.back(), std::ssize(batches_) - 1);
        }
    }

    [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }
    [[nodiscard]] std::int64_t size() const override { return std::ssize(records_); }
    [[nodiscard]] data::TileRecord record(std::int64_t image) const override {
        return records_[static_cast<std::size_t>(image)];
    }
    /// Planes become pixels.
    void read(std::int64_t image, std::span<std::uint8_t> rgb) override {
        std::array<std::uint8_t, image_bytes> planes{};
        const data::TileRecord& of = records_[static_cast<std::size_t>(image)];
        const std::int64_t in_batch = image - first_[of.source];
        batches_[of.source].file.read_at(
            static_cast<std::uint64_t>(in_batch * format_.record_bytes() + format_.label_bytes),
            std::as_writable_bytes(std::span(planes)));
        for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = planes[i % 3 * plane + i / 3];
    }

private:
    void read_labels(const Batch& batch, std::int64_t source) {
        first_.push_back(size());
        for (std::int64_t i = 0; i < batch.images; ++i) {
            std::array<std::uint8_t, 2> labels{};
            const auto some =
                std::span(labels).first(static_cast<std::size_t>(format_.label_bytes));
            batch.file.read_at(static_cast<std::uint64_t>(i * format_.record_bytes()),
                               std::as_writable_bytes(some));
            if (some.back() >= classes_.size())
                throw Error(
                    text(batch.file.name(), ": image ", i, " of ", batch.images, " has label ",
                         int{some.back()}, ", of ", classes_.size(), " classes"),
                    Hint{"the file is damaged or of another kind: unpack it again"});
            data::TileRecord record;
            record.label = some.back();
            record.source = static_cast<std::uint16_t>(source);
            record.split = batch.split;
            records_.push_back(record);
        }
    }

    const Format& format_;
    std::vector<std::string> classes_;
    std::vector<Batch> batches_;
    std::vector<std::int64_t> first_;  ///< image of each batch
    std::vector<data::TileRecord> records_;
};

}  // namespace

Opened open_cifar(const comm::Communicator& ranks, const maps::Settings& settings) {
    std::vector<std::string> files = settings.cifar;
    std::sort(files.begin(), files.end());
    auto source = comm::agree(ranks, [&] { return std::make_unique<CifarSource>(files); });
    data::StoreHeader header = image_header(settings, source->classes());
    for (const fs::path file : files) {
        const std::string hash = comm::agree(ranks, [&] { return hash_file(file); });
        header.sources.push_back({file.filename().string(), hash});
    }
    return {std::move(source), std::move(header)};
}

}  // namespace civitas::images
