#pragma once
/// libtorch for tests. It defines macros of Catch2's names, so it comes first and loses them.
#include <torch/torch.h>

#undef CHECK
#undef CHECK_EQ
#undef CHECK_NE
#undef CHECK_LT
#undef CHECK_LE
#undef CHECK_GT
#undef CHECK_GE
#include <catch2/catch.hpp>
