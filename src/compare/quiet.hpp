#pragma once
/// Trainings that tell their own files alone.
#include <iostream>
#include <sstream>
#include <streambuf>

namespace civitas::compare {

/// While this lives nothing that the process prints reaches its standard output. Made and destroyed
/// where no other thread prints.
class QuietOutput {
public:
    QuietOutput() : before_(std::cout.rdbuf(nothing_.rdbuf())) {}
    QuietOutput(const QuietOutput&) = delete;
    QuietOutput& operator=(const QuietOutput&) = delete;
    ~QuietOutput() { std::cout.rdbuf(before_); }

private:
    std::ostringstream nothing_;
    std::streambuf* before_;
};

}  // namespace civitas::compare
