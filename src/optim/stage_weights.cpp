#include "civitas/optim/stage_weights.hpp"

#include "arena_view.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/error.hpp"

#include <ATen/ops/empty.h>

namespace civitas::optim {
namespace {

at::Tensor bytes_on(at::Device device, std::int64_t bytes) {
    return at::empty({bytes}, at::TensorOptions(device).dtype(at::kByte));
}

/// Memory that throws whenever it is read.
c10::Storage no_memory(at::Device device) {
    c10::Storage storage = bytes_on(device, 0).storage();
    storage.unsafeGetStorageImpl()->release_data_and_set_meta_custom_data_ptr_error_msg_(
        "the weights of a stage are read while they are not gathered");
    return storage;
}

/// An element's place in the arena as a place among the bytes of some slots.
std::int64_t byte_of(const net::ArenaLayout& layout, Range slots, const net::ComputeRoom& room,
                     std::int64_t element) {
    for (std::int64_t slot = slots.begin; slot < slots.end(); ++slot) {
        const Range elements = layout.elements({slot, 1});
        const Range bytes = room.bytes[static_cast<std::size_t>(slot - slots.begin)];
        if (element < elements.end())
            return bytes.begin + (element - elements.begin) * (bytes.count / elements.count);
    }
    return room.size;
}

/// A stage without parameters needs none.
bool has_place_in(const GatherRoom* room, std::int64_t bytes) {
    return room != nullptr && bytes > 0;
}

}  // namespace

struct StageWeights::Unit {
    /// Masters of this rank, and their place among the bytes as numbers of this type.
    struct Own {
        at::Tensor masters;
        at::ScalarType type;
        Range bytes;
    };
    std::int64_t size = 0;                   ///< bytes
    std::vector<std::vector<Range>> blocks;  ///< slices of the bytes, by rank
    std::vector<Own> own;
    const memory::OffloadMemory* offloaded_to = nullptr;  ///< of the masters
    std::vector<at::Tensor> views;
    at::Tensor memory;                                         ///< while it is gathered
    std::vector<std::unique_ptr<comm::Gathering>> gatherings;  ///< of each block
    bool is_there = false;

    void let_see(const c10::Storage& storage) const {
        for (const at::Tensor& view : views)
            view.unsafeGetTensorImpl()->set_storage_keep_dtype(storage);
    }
};

StageWeights::StageWeights(const DividedWeights& from, const std::map<StageId, Range>& stages,
                           GatherRoom* room)
    : ranks_(from.ranks),
      room_(room),
      views_(from.layout.slots().size()),
      released_(no_memory(from.device)) {
    for (const auto& [stage, slots] : stages)
        make_views(from, slots, *units_.emplace(stage, std::make_unique<Unit>()).first->second);
}

StageWeights::~StageWeights() = default;

net::NumberBytes StageWeights::number_bytes(const DividedWeights& from) {
    const auto bytes = [](at::ScalarType type) {
        return static_cast<std::int64_t>(c10::elementSize(type));
    };
    return {bytes(from.convolutions), bytes(from.masters.flat().scalar_type())};
}

void StageWeights::make_views(const DividedWeights& from, Range slots, Unit& unit) {
    const net::NumberBytes numbers = number_bytes(from);
    const auto room = net::compute_room(from.layout, slots, numbers);
    unit.size = room.size;
    unit.offloaded_to = from.masters.offloaded_to();
    const at::Tensor memory = bytes_on(released_.device(), room.size);
    for (std::int64_t slot = slots.begin; slot < slots.end(); ++slot) {
        const auto index = static_cast<std::size_t>(slot);
        const Range bytes = room.bytes[static_cast<std::size_t>(slot - slots.begin)];
        const std::int64_t full = from.layout.elements({slot, 1}).count * numbers.of_others;
        const auto type =
            bytes.count == full ? from.masters.flat().scalar_type() : from.convolutions;
        views_.at(index) = view_at(comm::part(memory, bytes).view(type), 0,
                                   from.layout.slots()[index].parameter.shape);
        unit.views.push_back(views_.at(index));
    }
    unit.let_see(released_);
    find_parts(from, slots, room, unit);
}

void StageWeights::find_parts(const DividedWeights& from, Range slots, const net::ComputeRoom& room,
                              Unit& unit) const {
    const auto bytes_of = [&](Range elements) {
        const std::int64_t begin = byte_of(from.layout, slots, room, elements.begin);
        return Range{begin, byte_of(from.layout, slots, room, elements.end()) - begin};
    };
    const Range all = from.layout.elements(slots);
    for (const net::ArenaBlock& block : from.division.blocks()) {
        if (net::within({block.elements}, all).front().count == 0) continue;
        std::vector<Range>& slices = unit.blocks.emplace_back();
        for (const Range& owned : net::within(block.slices, all)) slices.push_back(bytes_of(owned));
    }
    const net::ArenaRuns& mine = from.masters.elements();
    for (std::int64_t slot = slots.begin; slot < slots.end(); ++slot)
        for (const Range& part : net::within(mine.runs(), from.layout.elements({slot, 1})))
            if (part.count > 0)
                unit.own.push_back({comm::part(from.masters.flat(), mine.places_of(part)),
                                    views_.at(static_cast<std::size_t>(slot)).scalar_type(),
                                    bytes_of(part)});
}

StageWeights::Unit& StageWeights::unit(StageId stage) const {
    const auto found = units_.find(stage);
    ensure(found != units_.end(), "only stages held here are gathered");
    return *found->second;
}

void StageWeights::gather(StageId stage) {
    Unit& u = unit(stage);
    ensure(!u.memory.defined(), "a stage is gathered once before it is released");
    const Stopwatch watch;
    u.memory =
        has_place_in(room_, u.size) ? room_->take(u.size) : bytes_on(released_.device(), u.size);
    waited_ += watch.seconds();
    for (const auto& own : u.own) {
        const at::Tensor to = comm::part(u.memory, own.bytes).view(own.type);
        memory::walk(u.offloaded_to, {&own.masters, 1}, [&](Range some) {
            comm::part(to, some).copy_(comm::part(own.masters, some), /*non_blocking=*/true);
        });
    }
    bytes_ += u.size;
    for (const auto& slices : u.blocks)
        u.gatherings.push_back(ranks_.begin_all_gather_slices(u.memory, slices));
}

void StageWeights::wait(StageId stage) {
    Unit& u = unit(stage);
    ensure(u.memory.defined(), "a stage is gathered before it is used");
    if (u.is_there) return;
    const Stopwatch watch;
    for (const auto& gathering : u.gatherings) gathering->wait();
    u.let_see(u.memory.storage());
    u.is_there = true;
    waited_ += watch.seconds();
}

void StageWeights::release(StageId stage) {
    wait(stage);
    Unit& u = unit(stage);
    const Stopwatch watch;
    for (const auto& gathering : u.gatherings) gathering->finish();
    waited_ += watch.seconds();
    if (has_place_in(room_, u.size)) room_->release(u.memory);
    drop(u);
}

void StageWeights::drop(Unit& u) {
    if (!u.memory.defined()) return;
    bytes_ -= u.size;
    u.let_see(released_);
    u.memory.reset();
    u.gatherings.clear();
    u.is_there = false;
}

void StageWeights::clear() {
    for (const auto& entry : units_) drop(*entry.second);
    if (room_ != nullptr) room_->clear();
}

void StageWeights::progress() const {
    if (bytes_ > 0) ranks_.progress();
}

}  // namespace civitas::optim
