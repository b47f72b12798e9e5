#include "setting.hpp"

#include "machine.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/ones.h>
#include <algorithm>
#include <filesystem>

namespace civitas::train {
namespace {

/// Its pipe and tensor axes come with later versions; a mesh that asks for them is refused.
comm::MeshShape supported(comm::MeshShape mesh) {
    if (mesh.pipe == 1 && mesh.tensor == 1) return mesh;
    throw UsageError(text("mesh ", to_string(mesh), ": this version divides the data axis only"),
                     Hint{text("--mesh data=", mesh.size())});
}

parallel::Schedule schedule_for(const Configuration& c, const parallel::ScheduleShape& shape) {
    if (!std::filesystem::is_regular_file(c.layout.schedule))
        return parallel::make_schedule(c.layout.schedule, shape);
    auto schedule = parallel::parse_schedule(io::read_text_file(c.layout.schedule));
    schedule.name = c.layout.schedule;
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

Setting agree_on_setting(const comm::Communicator& world, const Configuration& c, Log& log) {
    Setting s;
    comm::agree(world, [&] {
        s.mesh = supported(comm::parse_mesh(c.layout.mesh, world.size()));
        check_batch(c.task, s.mesh);
        s.device = open_device(c.layout.device);
        if (s.device.is_cuda() && world.size() > 1)
            throw UsageError(
                text("--device cuda runs one rank in this version, the job has ", world.size()),
                Hint{"mpirun -n 1"});
        const parallel::ScheduleShape shape{.coordinates = s.mesh.pipe,
                                            .micro_batches = c.task.micro_batches() / s.mesh.data,
                                            .redraw = c.layout.recompute};
        s.schedule = schedule_for(c, shape);
        if (std::ssize(s.schedule.coordinates) != s.mesh.pipe)
            throw UsageError(text("schedule ", s.schedule.name, " has ",
                                  s.schedule.coordinates.size(), " lines of actions, mesh ",
                                  to_string(s.mesh), " has ", s.mesh.pipe, " pipe coordinates"),
                             Hint{"one line for each"});
        parallel::check_schedule(s.schedule, shape);
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
