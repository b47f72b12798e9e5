#pragma once
/// A number by which a task tells how a training step went: a loss, an accuracy.
#include <string>

namespace civitas {

struct StepValue {
    std::string key;    ///< its name in metrics.jsonl: `d_loss`
    std::string label;  ///< what it is called on the step line: `D`
    int digits = 3;     ///< behind the point on the step line; metrics.jsonl has all of them
    int group = 0;      ///< neighbours of one group stand together on the step line
    double value = 0;
    friend bool operator==(const StepValue&, const StepValue&) = default;
};

}  // namespace civitas
