#include "civitas/train/idle_options.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using Sentences = std::vector<std::string>;

TEST_CASE("an option that the others leave nothing to do is named, with what it is of") {
    planner::Configuration c;
    CHECK(train::idle_options(c).empty());
    c.update.servers = 2;
    c.update.max_staleness = 3;
    c.update.moments = AsyncMoments::own;
    c.hyperparameters.momentum = 0.5;
    c.hyperparameters.classifier_lr = 0.5;
    c.hyperparameters.condition_weight = 2;
    c.layout_options.offload_folder = "folder";
    c.layout_options.cuda_graphs = CudaGraphs::off;
    CHECK(train::idle_options(c) ==
          Sentences{"--servers 2 does nothing by --update sync: it is of server",
                    "--max-staleness does nothing by --update sync: it is of async and server",
                    "--async-moments own does nothing by --update sync: it is of async",
                    "--momentum does nothing by --optimizer adam: it is of sgd",
                    "--classifier-lr does nothing by --task gan: it is of classify",
                    "--cuda-graphs off does nothing by --device cpu: it is of cuda",
                    "--condition-weight does nothing by --condition none: it is of cover",
                    "--offload-folder does nothing by --offload none: it is of disk"});
    c = {};
    c.layout_options.device = DeviceKind::cuda;
    c.layout_options.cuda_graphs = CudaGraphs::off;
    CHECK(train::idle_options(c).empty());
    c.layout_options.stage_devices = {DeviceKind::cpu, DeviceKind::cpu};
    CHECK(train::idle_options(c) ==
          Sentences{"--cuda-graphs off does nothing by --stage-devices cpu,cpu: it is of cuda",
                    "--device cuda does nothing by --stage-devices cpu,cpu: it is of stages on "
                    "devices of one kind"});
    c = {};
    c.update.kind = UpdateKind::server;
    c.layout_options.reduction = Reduction::fast;
    c.hyperparameters.optimizer = OptimizerKind::sgd;
    c.hyperparameters.beta1 = 0.9;
    c.hyperparameters.beta2 = 0.99;
    CHECK(train::idle_options(c) ==
          Sentences{"--reduction fast does nothing by --update server: it is of sync",
                    "--beta1 does nothing by --optimizer sgd: it is of adam",
                    "--beta2 does nothing by --optimizer sgd: it is of adam"});
}

TEST_CASE("options of a GAN are told to a classifier") {
    planner::Configuration c;
    c.problem.nets =
        planner::Nets({.task = TaskKind::classify, .net = "resnet-18", .classes = 2, .pixels = 32});
    c.hyperparameters.classifier_lr = 0.5;
    CHECK(train::idle_options(c).empty());
    c.problem.nets = planner::Nets({.task = TaskKind::classify,
                                    .net = "resnet-18",
                                    .nz = 8,
                                    .generator_widths = {8, 8},
                                    .discriminator_widths = {8, 8},
                                    .classes = 2,
                                    .pixels = 32});
    c.hyperparameters.instance_noise = 0.1;
    c.hyperparameters.loss = net::LossKind::hinge;
    c.hyperparameters.generator_lr = c.hyperparameters.discriminator_lr = 0.5;
    c.hyperparameters.ema = 0.9;
    c.layout_options.stages = {{}, {3, 2}};
    c.layout_options.redraw = true;
    CHECK(train::idle_options(c) ==
          Sentences{"--discriminator-stages does nothing by --task classify: it is of gan",
                    "--redraw does nothing by --task classify: it is of gan",
                    "--loss does nothing by --task classify: it is of gan",
                    "--generator-lr does nothing by --task classify: it is of gan",
                    "--discriminator-lr does nothing by --task classify: it is of gan",
                    "--instance-noise does nothing by --task classify: it is of gan",
                    "--ema does nothing by --task classify: it is of gan",
                    "--nz does nothing by --task classify: it is of gan",
                    "--generator-widths does nothing by --task classify: it is of gan",
                    "--discriminator-widths does nothing by --task classify: it is of gan"});
}

TEST_CASE("options of a classifier, of a condition and of a schedule of rates are told to others") {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.classes = 3, .pixels = 32});
    c.problem.labels = LabelSource::source;
    c.hyperparameters.rate.gamma = 0.5;
    CHECK(train::idle_options(c) ==
          Sentences{"--pixels does nothing by --task gan: it is of classify",
                    "--labels does nothing by --task gan: it is of classify",
                    "--classes does nothing by --condition none: it is of source",
                    "--lr-gamma does nothing by --lr-schedule auto: it is of step"});
    c = {};
    c.problem.nets = planner::Nets({.condition = ConditionKind::source, .classes = 3});
    c.hyperparameters.rate.shape = RateShape::step;
    c.hyperparameters.rate.gamma = 0.5;
    CHECK(train::idle_options(c).empty());
}

TEST_CASE("options that count are not told") {
    planner::Configuration c;
    c.update = {.kind = UpdateKind::server, .max_staleness = 3, .servers = 2};
    c.hyperparameters.optimizer = OptimizerKind::sgd;
    c.hyperparameters.momentum = 0.5;
    c.hyperparameters.condition_weight = 2;
    c.problem.nets = planner::Nets({.condition = ConditionKind::cover});
    c.layout_options.offload = Offload::disk;
    c.layout_options.device = DeviceKind::cuda;
    c.layout_options.cuda_graphs = CudaGraphs::off;
    c.layout_options.offload_folder = "folder";
    CHECK(train::idle_options(c).empty());
    c = {};
    c.update = {.kind = UpdateKind::async, .moments = AsyncMoments::own, .max_staleness = 1};
    CHECK(train::idle_options(c).empty());
}
