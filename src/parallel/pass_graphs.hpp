#pragma once
/// Passes of a table, recorded as graphs when they are first run so, and replayed from then on.
#include "civitas/gpu/graph.hpp"
#include "civitas/parallel/executor.hpp"

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace civitas::parallel {

/// What a task is told of passes once they have run.
class PassNotes {
public:
    void note_loss(const schedule::Action& visit, const at::Tensor& figures);
    void note_statistics(const schedule::Action& visit,
                         const std::vector<nn::Statistics>& statistics);

    void tell(Task& task) const;
    /// All that the task is told, which each replay writes anew.
    [[nodiscard]] std::vector<at::Tensor> tensors() const;

private:
    std::vector<std::pair<schedule::Action, at::Tensor>> losses_;
    std::vector<std::pair<schedule::Action, std::vector<nn::Statistics>>> statistics_;
};

class PassGraphs {
public:
    explicit PassGraphs(gpu::MakeGraph make) : make_(std::move(make)) {}

    /// Runs the passes that begin with action number `first` of the table. `perform` makes them
    /// when they are recorded, and notes what the task is told.
    void run(std::size_t first, const std::function<PassNotes()>& perform, Task& task);

    /// Frees what has been recorded: it will be recorded anew.
    void forget() { parts_.clear(); }

private:
    struct Part {
        std::unique_ptr<gpu::Graph> graph;
        PassNotes notes;
    };
    gpu::MakeGraph make_;
    std::map<std::size_t, Part> parts_;
};

}  // namespace civitas::parallel
