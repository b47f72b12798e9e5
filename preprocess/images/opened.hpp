#pragma once
/// The two ways to name images.
#include "preprocess/maps/gdal.hpp"
#include "source.hpp"

#include <memory>

namespace civitas::images {

struct Opened {
    std::unique_ptr<ImageSource> images;
    data::StoreHeader header;
};

/// The images of the folder `settings.images`, all of which are looked at once, each by one rank:
/// those that cannot be read are named, counted and left out. Collective; throws AgreedError.
/// `gdal` outlives what is opened.
[[nodiscard]] Opened open_folder(const comm::Communicator& ranks, const maps::Settings& settings,
                                 maps::Gdal& gdal, Log& log);

/// The images of the files `settings.cifar`: CIFAR-10 or CIFAR-100, binary version
/// (https://www.cs.toronto.edu/~kriz/cifar.html). Collective; throws AgreedError.
[[nodiscard]] Opened open_cifar(const comm::Communicator& ranks, const maps::Settings& settings);

/// What stores of images have in common, however they are made.
[[nodiscard]] data::StoreHeader image_header(const maps::Settings& settings,
                                             std::vector<std::string> classes);
/// "12 images of 3 classes: 10 to train, 2 to test".
[[nodiscard]] std::string summary(const Opened& opened);

}  // namespace civitas::images
