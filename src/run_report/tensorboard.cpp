#include "civitas/run_report/tensorboard.hpp"

#include "protobuf.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/picture.hpp"

#include <boost/crc.hpp>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace civitas::run_report {
namespace {

// Fields of tensorflow/core/util/event.proto and framework/summary.proto.
namespace event {
constexpr std::uint32_t wall_time = 1, step = 2, file_version = 3, summary = 5;
}
namespace value {
constexpr std::uint32_t tag = 1, simple_value = 2, image = 4;
}
namespace image {
constexpr std::uint32_t height = 1, width = 2, colorspace = 3, encoded = 4;
constexpr std::uint64_t rgb = 3;
}  // namespace image
constexpr std::uint32_t values_of_summary = 1;

std::uint32_t masked_crc(std::string_view bytes) {
    // CRC-32C: the polynomial of Castagnoli.
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(bytes.data(), bytes.size());
    const auto sum = static_cast<std::uint32_t>(crc.checksum());
    return (sum >> 15U | sum << 17U) + 0xa282ead8U;
}

template <class T>
void append(std::vector<std::byte>& file, const T& number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    file.insert(file.end(), bytes.begin(), bytes.end());
}

void append_record(std::vector<std::byte>& file, const std::string& data) {
    const std::uint64_t length = data.size();
    append(file, length);
    append(file, masked_crc({reinterpret_cast<const char*>(&length), sizeof length}));
    const auto bytes = std::as_bytes(std::span(data));
    file.insert(file.end(), bytes.begin(), bytes.end());
    append(file, masked_crc(data));
}

/// When steps ended, by their numbers; a step that has not told is as old as the first.
class Clock {
public:
    explicit Clock(const History& history) {
        for (const report::Point& point : history.of("time")) ends_[point.x] = point.y;
    }
    [[nodiscard]] double at(double step) const {
        const auto next = ends_.upper_bound(step);
        if (ends_.empty()) return 0;
        return next == ends_.begin() ? next->second : std::prev(next)->second;
    }

private:
    std::map<double, double> ends_ = {};
};

std::string event_of(const Clock& clock, double step, const Message& value) {
    return Message()
        .real(event::wall_time, clock.at(step))
        .integer(event::step, static_cast<std::uint64_t>(step))
        .words(event::summary, Message().words(values_of_summary, value.bytes()).bytes())
        .bytes();
}

void append_scalars(std::vector<std::byte>& file, const Clock& clock, const History& history,
                    const std::string& prefix) {
    for (const auto& [key, points] : history.series) {
        if (key == "time" || key == "steps") continue;
        for (const report::Point& point : points)
            if (std::isfinite(point.y))
                append_record(
                    file, event_of(clock, point.x,
                                   Message()
                                       .words(value::tag, prefix + key)
                                       .real(value::simple_value, static_cast<float>(point.y))));
    }
}

/// `step-00000500.png`: 500.
double step_of(const std::filesystem::path& sheet) {
    const std::string name = sheet.stem().string();
    const auto digits = name.find_first_of("0123456789");
    std::int64_t step = 0;
    if (digits != std::string::npos)
        (void)std::from_chars(name.data() + digits, name.data() + name.size(), step);
    return static_cast<double>(step);
}

Message image_of(const std::filesystem::path& sheet) {
    const io::Picture picture = io::read_png(sheet);
    const auto png = io::png_of(picture);
    const std::string encoded(reinterpret_cast<const char*>(png.data()), png.size());
    return Message()
        .integer(image::height, static_cast<std::uint64_t>(picture.height()))
        .integer(image::width, static_cast<std::uint64_t>(picture.width()))
        .integer(image::colorspace, image::rgb)
        .words(image::encoded, encoded);
}

/// Of a sheet that cannot be read, a word in the log.
std::optional<Message> image_or_word(const std::filesystem::path& sheet, Log& log) {
    try {
        return image_of(sheet);
    } catch (const Error& e) {
        log.warn(text("a sheet is left out of the events: ", printable(e.what())));
        return std::nullopt;
    }
}

}  // namespace

std::vector<std::byte> event_file(const RunContents& run, Log& log) {
    std::vector<std::byte> file;
    const Clock clock(run.steps);
    append_record(file, Message()
                            .real(event::wall_time, clock.at(0))
                            .words(event::file_version, "brain.Event:2")
                            .bytes());
    append_scalars(file, clock, run.steps, "");
    append_scalars(file, clock, run.tests, "test/");
    for (const auto& sheet : run.samples) {
        const auto image = image_or_word(sheet, log);
        if (!image) continue;
        const auto plans = Message().words(value::tag, "plans").words(value::image, image->bytes());
        append_record(file, event_of(clock, step_of(sheet), plans));
    }
    return file;
}

std::filesystem::path write_event_file(const RunContents& run, const std::filesystem::path& folder,
                                       Log& log) {
    auto file = folder / "events.out.tfevents.0.civitas";
    std::filesystem::create_directories(folder);
    io::AtomicFile events(file, io::Replace::yes);
    io::RawFile::open_to_write(events.part()).write_at(0, event_file(run, log));
    events.commit();
    return file;
}

}  // namespace civitas::run_report
