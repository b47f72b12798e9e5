#include "setting.hpp"

#include "cutting.hpp"
#include "machine.hpp"
#include "profile.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/ones.h>
#include <algorithm>
#include <filesystem>

namespace civitas::train {
namespace {

parallel::Schedule read_schedule(const std::string& file) {
    auto schedule = parallel::parse_schedule(io::read_text_file(file));
    schedule.name = file;
    return schedule;
}

void require_line_for_each(const parallel::Schedule& schedule, comm::MeshShape mesh) {
    if (std::ssize(schedule.coordinates) == mesh.pipe) return;
    throw UsageError(
        text("schedule ", schedule.name, " has ", schedule.coordinates.size(),
             " lines of actions, mesh ", to_string(mesh), " has ", mesh.pipe, " pipe coordinates"),
        Hint{"one line for each"});
}

/// The user's table says itself how many stages it has; every coordinate must have the same number.
parallel::Schedule schedule_for(const Configuration& c, comm::MeshShape mesh) {
    parallel::ScheduleShape shape{.coordinates = mesh.pipe,
                                  .micro_batches = c.task.micro_batches() / mesh.data,
                                  .redraw = c.layout.redraw,
                                  .recompute = c.layout.recompute,
                                  .reversed_discriminator = c.layout.placement == "reversed"};
    const bool own = std::filesystem::is_regular_file(c.layout.schedule);
    auto schedule = own ? read_schedule(c.layout.schedule) : parallel::Schedule{};
    if (own) {
        require_line_for_each(schedule, mesh);
        const auto held = parallel::placement_of(schedule).stages_of(parallel::Net::generator, 0);
        shape.chunks = std::max(1, static_cast<int>(held.size()));
    } else {
        shape.chunks = parallel::chunks_of(c.layout.schedule);
        schedule = parallel::make_schedule(c.layout.schedule, shape);
    }
    parallel::check_schedule(schedule, shape);
    return schedule;
}

double flops_of(const nn::NetDescription& net) {
    const auto shapes = nn::shapes_of(net);
    double sum = 0;
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        sum += nn::forward_flops(net.layers[i], shapes[i]);
    return sum;
}

}  // namespace

void lay_out(Setting& s, const Configuration& c) {
    s.schedule = schedule_for(c, s.mesh);
    s.placement = parallel::placement_of(s.schedule);
    const auto gan = c.task.gan();
    s.generator_cuts = nn::tensor_plan(gan.generator, s.mesh.tensor);
    s.discriminator_cuts = nn::tensor_plan(gan.discriminator, s.mesh.tensor);
}

Setting agree_on_setting(const comm::Communicator& world, const Configuration& c, Log& log) {
    Setting s;
    const Resources here = resources_here(world);
    comm::agree(world, [&] {
        s.mesh = comm::parse_mesh(c.layout.mesh, world.size());
        check_batch(c.task, s.mesh);
        s.device = open_device(c.layout.device);
        if (s.device.is_cuda() && world.size() > 1)
            throw UsageError(
                text("--device cuda runs one rank in this version, the job has ", world.size()),
                Hint{"mpirun -n 1"});
        lay_out(s, c);
        cut_nets(s, c, here, estimated_seconds(c.task, here, world.size()));
    });
    s.threads = set_threads(world, c.layout.threads, log);
    s.instruction_set = agreed_instruction_set(world);
    return s;
}

Range own_micro_batches(const Task& task, const comm::Mesh& mesh) {
    return share_of(task.micro_batches(), mesh.here().data, mesh.shape().data);
}

double flops_of_step(const nn::GanDescription& gan, std::int64_t batch) {
    return static_cast<double>(batch) *
           (3 * flops_of(gan.generator) + 8 * flops_of(gan.discriminator));
}

double measured_peak(Precision precision, at::Device device) {
    constexpr std::int64_t channels = 256;
    constexpr std::int64_t side = 32;
    constexpr std::int64_t images = 4;
    const auto options = at::TensorOptions().dtype(compute_type(precision)).device(device);
    const auto x = at::ones({images, channels, side, side}, options)
                       .contiguous(at::MemoryFormat::ChannelsLast);
    const auto w =
        at::ones({channels, channels, 3, 3}, options).contiguous(at::MemoryFormat::ChannelsLast);
    const double flops = 2.0 * 9 * channels * channels * side * side * images;
    double best = 0;
    for (int round = 0; round < 4; ++round) {
        const Stopwatch watch;
        (void)at::conv2d(x, w, {}, 1, 1).sum().item();
        best = std::max(best, flops / watch.seconds());
    }
    return best;
}

}  // namespace civitas::train
