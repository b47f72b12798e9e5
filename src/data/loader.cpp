#include "civitas/data/loader.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/error.hpp"
#include "civitas/data/order.hpp"

#include <ATen/ops/empty.h>
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace civitas::data {
namespace {

at::Tensor buffer_for(std::int64_t tiles, const LoaderOptions& o) {
    return at::empty({tiles, channels_of(o.coding), o.net_pixels, o.net_pixels},
                     at::TensorOptions(at::kFloat).pinned_memory(o.pinned));
}

/// Reads and encodes single tiles; one per thread, since it keeps a buffer.
class TileReader {
public:
    TileReader(const TileStore& store, Coding coding, std::int64_t net_pixels)
        : store_(store),
          coding_(coding),
          scaling_{store.header().pixels, net_pixels},
          bytes_(static_cast<std::size_t>(store.header().tile_bytes())) {
        require_coding(store, coding);
    }

    void read(TileIndex tile, Symmetry symmetry, std::span<float> image_CHW) {
        store_.read(tile, bytes_);
        encode(bytes_, scaling_, coding_, symmetry, image_CHW);
    }

private:
    const TileStore& store_;
    Coding coding_;
    Scaling scaling_;
    std::vector<std::uint8_t> bytes_;
};

/// A micro-batch in the making.
struct Slot {
    Slot(Sample first_sample, const LoaderOptions& options)
        : first(first_sample), x_BCHW(buffer_for(options.micro_batch, options)) {}

    Sample first;
    at::Tensor x_BCHW;
    std::int64_t started = 0;
    std::int64_t finished = 0;
    std::exception_ptr error;
};
/// Whoever fills a slot keeps it, also when nobody expects it any more.
using Slots = std::deque<std::shared_ptr<Slot>>;

/// Takes the slot of a micro-batch out of `slots`; null: there is none.
std::shared_ptr<Slot> take_out(Slots& slots, Sample first) {
    const auto found = std::find_if(slots.begin(), slots.end(),
                                    [&](const auto& slot) { return slot->first == first; });
    if (found == slots.end()) return nullptr;
    std::shared_ptr<Slot> slot = std::move(*found);
    slots.erase(found);
    return slot;
}

}  // namespace

/// The threads fill the tiles of the slots, the first slots first. The thread that calls is the
/// only one that changes which slots there are.
struct Loader::Impl {
    Impl(const TileStore& tile_store, LoaderOptions loader_options,
         std::function<Sample(std::int64_t)> samples);
    void expect(std::span<const Sample> firsts);
    at::Tensor take(Sample first);
    /// So many micro-batches of the order, from the next one on.
    [[nodiscard]] std::vector<Sample> coming(int count) const;
    void replace(Slots wanted);
    void work(const std::stop_token& stop);
    std::shared_ptr<Slot> startable() const;
    std::exception_ptr fill(std::optional<TileReader>& reader, const Slot& slot,
                            std::int64_t place) const;

    const TileStore& store;
    const LoaderOptions options;
    const std::function<Sample(std::int64_t)> first_sample;
    const std::vector<TileIndex> rows;
    const Symmetries symmetries;

    std::mutex mutex;
    std::condition_variable_any tiles_wanted, tile_finished;
    Slots slots;
    std::int64_t delivered = 0;  ///< of the order
    double waited = 0;
    std::vector<std::jthread> threads;  // last: they end before what they use
};

Loader::Impl::Impl(const TileStore& tile_store, LoaderOptions loader_options,
                   std::function<Sample(std::int64_t)> samples)
    : store(tile_store),
      options(loader_options),
      first_sample(std::move(samples)),
      rows(store.rows(Split::train)),
      symmetries(options.symmetries.value_or(symmetries_of(store.header().content))) {
    require_coding(store, options.coding);
    if (rows.empty())
        throw UsageError(text("none of the ", store.size(), " tiles is for training"),
                         Hint{"civitas-preprocess with a smaller --test-share"});
    static_cast<void>(Scaling{store.header().pixels, options.net_pixels}.factor());
    ensure(options.micro_batch > 0 && options.threads > 0 && options.ahead > 0,
           "a loader has threads and room to read ahead");
    if (first_sample) expect(coming(options.ahead));
    for (int i = 0; i < options.threads; ++i)
        threads.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

std::vector<Sample> Loader::Impl::coming(int count) const {
    std::vector<Sample> firsts;
    for (int i = 0; i < count; ++i) firsts.push_back(first_sample(delivered + i));
    return firsts;
}

void Loader::Impl::replace(Slots wanted) {
    {
        const std::lock_guard lock(mutex);
        slots.swap(wanted);
    }
    tiles_wanted.notify_all();
}

void Loader::Impl::expect(std::span<const Sample> firsts) {
    Slots old = slots, wanted;
    for (const Sample first : firsts) {
        std::shared_ptr<Slot> slot = take_out(old, first);
        wanted.push_back(slot ? std::move(slot) : std::make_shared<Slot>(first, options));
    }
    replace(std::move(wanted));
}

std::shared_ptr<Slot> Loader::Impl::startable() const {
    for (const std::shared_ptr<Slot>& slot : slots)
        if (slot->started < options.micro_batch) return slot;
    return nullptr;
}

std::exception_ptr Loader::Impl::fill(std::optional<TileReader>& reader, const Slot& slot,
                                      std::int64_t place) const {
    try {
        if (!reader) reader.emplace(store, options.coding, options.net_pixels);
        const Sample sample{index(slot.first) + place};
        const Symmetry turn = draw(options.seed, std::ssize(rows), sample, symmetries).symmetry;
        const std::int64_t values = slot.x_BCHW.numel() / options.micro_batch;
        float* image = slot.x_BCHW.mutable_data_ptr<float>() + place * values;
        reader->read(training_tile(rows, options.seed, sample), turn,
                     {image, static_cast<std::size_t>(values)});
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

void Loader::Impl::work(const std::stop_token& stop) {
    std::optional<TileReader> reader;
    std::unique_lock lock(mutex);
    while (tiles_wanted.wait(lock, stop, [&] { return startable() != nullptr; })) {
        if (stop.stop_requested()) return;
        const std::shared_ptr<Slot> slot = startable();
        const std::int64_t place = slot->started++;
        lock.unlock();
        const std::exception_ptr error = fill(reader, *slot, place);
        lock.lock();
        if (error && !slot->error) slot->error = error;
        if (++slot->finished == options.micro_batch) tile_finished.notify_all();
    }
}

at::Tensor Loader::Impl::take(Sample first) {
    const Stopwatch watch;
    Slots others = slots;
    std::shared_ptr<Slot> slot = take_out(others, first);
    if (!slot) slot = std::make_shared<Slot>(first, options);
    Slots now = others;
    now.push_front(slot);
    replace(std::move(now));
    {
        std::unique_lock lock(mutex);
        tile_finished.wait(lock, [&] { return slot->finished == options.micro_batch; });
    }
    replace(std::move(others));
    waited += watch.seconds();
    if (slot->error) std::rethrow_exception(slot->error);
    return slot->x_BCHW;
}

Loader::Loader(const TileStore& store, LoaderOptions options)
    : impl_(std::make_unique<Impl>(store, options, nullptr)) {}
Loader::Loader(const TileStore& store, LoaderOptions options,
               std::function<Sample(std::int64_t)> first_sample)
    : impl_(std::make_unique<Impl>(store, options, std::move(first_sample))) {}
Loader::Loader(Loader&&) noexcept = default;
Loader::~Loader() = default;

void Loader::expect(std::span<const Sample> firsts) { impl_->expect(firsts); }
at::Tensor Loader::take(Sample first) { return impl_->take(first); }
at::Tensor Loader::next() {
    impl_->expect(impl_->coming(impl_->options.ahead + 1));
    return impl_->take(impl_->first_sample(impl_->delivered++));
}
double Loader::waited() const { return impl_->waited; }

at::Tensor read_tiles(const TileStore& store, std::span<const TileIndex> tiles, Coding coding,
                      std::int64_t net_pixels) {
    TileReader reader(store, coding, net_pixels);
    at::Tensor x_BCHW = buffer_for(std::ssize(tiles), {.coding = coding, .net_pixels = net_pixels});
    const auto values = static_cast<std::size_t>(channels_of(coding) * net_pixels * net_pixels);
    float* image = x_BCHW.mutable_data_ptr<float>();
    for (const TileIndex tile : tiles) {
        reader.read(tile, Symmetry::identity, {image, values});
        image += values;
    }
    return x_BCHW;
}

}  // namespace civitas::data
