#include "configuration.hpp"

#include "civitas/base/optimizer_kind.hpp"

namespace civitas::app {

void add_nets(cli::Options& options, planner::Problem& problem, OptionWords& words) {
    options.add("task", words.task, "gan (draws plans) or classify (tells classes)")
        .add("net", words.nets.net,
             "dcgan-64, dcgan-256, dcgan-512 or dcgan-1024; vgg-11, vgg-16, resnet-18 or resnet-50")
        .add("nz", words.nets.nz, "length of the noise vector (0: the net's own)")
        .add("generator-widths", words.nets.generator_widths,
             "channels after each layer of G; one more: a 3x3 convolution makes the image")
        .add("discriminator-widths", words.nets.discriminator_widths,
             "channels after each layer of D")
        .add("condition", words.condition,
             "what plans can be asked to be like: none, cover (shares of buildings and roads), "
             "source (the map of a tile)")
        .add("classes", words.nets.classes,
             "number of classes that a classifier tells apart, or of sources of a condition (0: as "
             "the data say)")
        .add("pixels", words.nets.pixels,
             "pixels of a side of a classifier's images (0: the store's, halved until at most 64)")
        .add("coding", words.coding,
             "of land classes colour (three channels) or grey (one); of images rgb")
        .add("batch", problem.batch, "tiles of a step")
        .add("micro-batch", problem.micro_batch,
             "tiles that batch norm normalises over (0: 4, or 8 for plans of 256 pixels and more, "
             "and of a smaller batch all)")
        .add("precision", words.precision, "fp32, bf16 or fp64")
        .add("kernels", words.kernels,
             "what computes layers: aten, fast (kernels of ours), auto (by times)");
}

OptimizerKind optimizer_of(const OptionWords& words) {
    if (words.optimizer != "auto") return parse_optimizer(words.optimizer);
    return parse_task(words.task) == TaskKind::gan ? OptimizerKind::adam : OptimizerKind::sgd;
}

void add_optimizer(cli::Options& options, planner::Hyperparameters& hyperparameters,
                   OptionWords& words) {
    options
        .add("optimizer", words.optimizer,
             "adam, sgd, or auto: adam for a GAN, sgd for a classifier")
        .add("momentum", hyperparameters.momentum, "sgd: decay of the sum of gradients (0: none)");
}

void add_stages(cli::Options& options, OptionWords& words) {
    options
        .add("replicas", words.replicas,
             "copies of the nets in each rank, each trained by its part of the rank's threads")
        .add("schedule", words.schedule,
             "naive, gpipe, 1f1b, interleaved:v, zero-bubble, gan, or a file with a table")
        .add("stages", words.stages, "blocks of G in each stage: 3,2,2,1 (empty: balanced)")
        .add("discriminator-stages", words.discriminator_stages,
             "blocks of D in each stage (empty: balanced)")
        .add("placement", words.placement, "stages of D on the coordinates: auto, same or reversed")
        .add("shard", words.shard,
             "what is divided over the data axis: none, optimizer, gradients or parameters")
        .add("offload", words.offload,
             "where moments, means and divided weights lie: none, host or disk")
        .add("weight-copies", words.weight_copies,
             "of weights that ranks have whole: one a node, in shared memory, or one a rank");
}

void add_checkpoint_mode(cli::Options& options, OptionWords& words) {
    options.add("checkpoint-mode", words.checkpoint_mode,
                "sync: training waits for the disk; async: a copy is written in the background");
}

}  // namespace civitas::app
