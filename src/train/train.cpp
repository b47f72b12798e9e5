#include "trainer.hpp"

#include "agreement.hpp"
#include "announce.hpp"
#include "machine.hpp"

#include "civitas/base/text.hpp"
#include "civitas/base/version.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"

#include <iomanip>

namespace civitas::train {
namespace {

/// Layers with weights that the tensor axis leaves whole.
std::string whole_layers(const nn::NetDescription& net, const nn::TensorPlan& cuts) {
    std::string names;
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        if (cuts.layers[i].cut == nn::Cut::whole && !nn::parameters_of(net.layers[i]).empty())
            names += text(names.empty() ? "" : ", ", net.layers[i].name);
    return names.empty() ? "nothing" : names;
}

void announce_cuts(const Run& run, parallel::Net which, const nn::NetDescription& net) {
    const nn::TensorPlan& cuts = run.setting.cuts_of(which);
    if (cuts.parts == 1) return;
    const auto part = nn::tensor_part(net, cuts, 0);
    run.log.say(text("tensor axis: ", net.name, " in ", cuts.parts, " parts of ",
                     millions(nn::parameter_count(part)), " parameters, ",
                     millions(nn::values_exchanged(part)),
                     " values exchanged per sample, whole: ", whole_layers(net, cuts)));
}

std::string plan_line(const Plan& plan) {
    std::ostringstream line;
    line << std::setprecision(3) << "a step should take " << plan.seconds_of_step() << " s and "
         << megabytes(plan.peak_bytes()) << " a rank";
    if (plan.setting.mesh.pipe > 1) line << ", bubble " << 100 * plan.step.bubble() << " %";
    return line.str();
}

void announce(const Run& run, RunState& state) {
    const Configuration& c = run.configuration;
    const auto gan = c.task.gan();
    const auto tiles = run.store.rows(data::Split::train).size();
    run.log.say(text("civitas ", version(), ", ", run.mesh.world().size(), " ranks, mesh ",
                     to_string(run.setting.mesh), ", ", run.setting.threads, " threads a rank, ",
                     run.setting.instruction_set));
    for (const std::string& line : layout_lines(run.setting, gan)) run.log.say(line);
    if (run.mesh.world().any(run.setting.device.is_cuda()) && run.setting.mesh.size() > 1)
        run.log.say("tensors travel by " + run.mesh.links().name());
    run.log.say(text(gan.name, ", ", gan.pixels, " px: generator ",
                     millions(nn::parameter_count(gan.generator)), " parameters, discriminator ",
                     millions(nn::parameter_count(gan.discriminator)), ", ",
                     megabytes(state.generator().bytes() + state.discriminator().bytes()),
                     " a rank for weights, moments and sums"));
    announce_cuts(run, parallel::Net::generator, gan.generator);
    announce_cuts(run, parallel::Net::discriminator, gan.discriminator);
    run.log.say(plan_line(run.plan));
    run.log.say(text(c.course.tiles, ": ", tiles, " training tiles of ", run.store.size(), ", ",
                     run.store.header().pixels, " px, ", run.store.header().tile_metres, " m"));
    run.log.say("configuration:\n" + c.resolved);
}

/// Root only: what a reader of the run folder needs, and nothing left of an earlier stop.
void begin_folder(const Run& run) {
    comm::agree(run.mesh.world(), [&] {
        if (!run.is_root()) return;
        io::write_text_file(run.folder.configuration(), run.configuration.resolved);
        std::filesystem::remove(run.folder.stopped());
    });
}

}  // namespace

comm::Exit train(const comm::Communicator& world, const Configuration& configuration,
                 StopSignals& signals, Log& log) {
    Setting setting = agree_on_setting(world, configuration, log);
    const comm::Mesh mesh(world, setting.mesh, comm::make_links(world, setting.device));
    const auto store = data::TileStore::open(world, configuration.course.tiles);
    comm::agree(world, [&] {
        if (store.rows(data::Split::train).empty())
            throw UsageError(text(configuration.course.tiles, " has no training tile"),
                             Hint{"civitas-preprocess with a smaller --test-share"});
        (void)data::Scaling{store.header().pixels, configuration.task.gan().pixels}.factor();
    });
    const RunFolder folder = make_run_folder(world, configuration.course.run);
    comm::agree(world, [&] { log.open(folder.log(world.rank())); });
    const Profile profile = profile_for(world, folder, configuration, setting, log);
    const Plan plan = agree_on_plan(world, configuration, profile, setting, log);
    RunState state(configuration, setting, mesh, store);
    const Run run{configuration, setting, plan, mesh, folder, store, log};
    state.resume(folder, log);
    keep_profile(world, folder, profile);
    begin_folder(run);
    announce(run, state);
    Trainer trainer(run, state, signals);
    return trainer.run_all();
}

}  // namespace civitas::train
