#pragma once
/// What a run tells at its end.
#include "run.hpp"
#include "stepper.hpp"

#include <string>
#include <vector>

namespace civitas::train {

class Summary {
public:
    explicit Summary(const Run& run) : run_(run) {}

    void add(const report::StepRecord& record);
    /// Collective; `seconds` since the start. The same on all ranks.
    [[nodiscard]] std::vector<std::string> lines(const Stepper& stepper, double seconds) const;

private:
    [[nodiscard]] std::string tiles_line(const Stepper& stepper, double seconds) const;
    [[nodiscard]] std::vector<std::string> cut_lines(const comm::Mailbox& mailbox,
                                                     double seconds) const;
    [[nodiscard]] std::string activations_line(const Stepper& stepper) const;

    const Run& run_;
    std::int64_t steps_ = 0;
};

}  // namespace civitas::train
