#include "setting.hpp"

#include "devices.hpp"
#include "layout.hpp"
#include "machine.hpp"
#include "profile.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/comm/agree.hpp"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/ones.h>
#include <algorithm>

namespace civitas::train {
namespace {

double flops_of(const nn::NetDescription& net) {
    const auto shapes = nn::shapes_of(net);
    double sum = 0;
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        sum += nn::forward_flops(net.layers[i], shapes[i]);
    return sum;
}

}  // namespace

void order_messages(Setting& s, const Task& task) {
    s.messages = parallel::message_order(s.schedule, static_cast<int>(s.generator_stages.size()),
                                         task.micro_batches() / s.mesh.data);
}

Setting agree_on_setting(const comm::Communicator& world, const Configuration& c, Log& log) {
    Setting s;
    const Resources here = resources_here(world);
    comm::agree(world, [&] {
        s.mesh = comm::parse_mesh(c.layout.mesh, world.size());
        check_batch(c.task, s.mesh);
        s.stage_devices = stage_devices(c.layout, s.mesh);
        lay_out(s, c, here, estimated_seconds(c.task, here, world.size()));
        order_messages(s, c.task);
    });
    const int pipe = s.mesh.coordinate(world.rank()).pipe;
    s.device = agree_on_device(world, s.stage_devices[static_cast<std::size_t>(pipe)], log);
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
