#pragma once
/// PyTorch's own layers and optimizers, for tests that compare with them.
#include <torch/autograd.h>
#include <torch/nn.h>
#include <torch/optim.h>

#include "support/tensor.hpp"
