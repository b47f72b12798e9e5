#pragma once
/// Tensors for tests. libtorch defines macros of Catch2's names, so it comes first and loses them.
#include <torch/types.h>
#include <torch/utils.h>

#undef CHECK
#undef CHECK_EQ
#undef CHECK_NE
#undef CHECK_LT
#undef CHECK_LE
#undef CHECK_GT
#undef CHECK_GE
#include <catch2/catch.hpp>
