#include "pass_graphs.hpp"

namespace civitas::parallel {

void PassNotes::note_loss(const schedule::Action& visit, const at::Tensor& figures) {
    losses_.emplace_back(visit, figures);
}

void PassNotes::note_statistics(const schedule::Action& visit,
                                const std::vector<nn::Statistics>& statistics) {
    statistics_.emplace_back(visit, statistics);
}

void PassNotes::tell(Task& task) const {
    for (const auto& [visit, figures] : losses_) task.record_loss(visit.pass, visit.micro, figures);
    for (const auto& [visit, statistics] : statistics_) task.record_statistics(visit, statistics);
}

std::vector<at::Tensor> PassNotes::tensors() const {
    std::vector<at::Tensor> all;
    for (const auto& [visit, figures] : losses_) all.push_back(figures);
    for (const auto& [visit, statistics] : statistics_)
        for (const nn::Statistics& s : statistics) {
            all.push_back(s.mean_C);
            all.push_back(s.variance_C);
        }
    return all;
}

void PassGraphs::run(std::size_t first, const std::function<PassNotes()>& perform, Task& task) {
    Part& part = parts_[first];
    if (!part.graph) {
        auto graph = make_();
        const auto made = std::make_shared<PassNotes>();
        graph->record([made, perform] {
            *made = perform();
            return made->tensors();
        });
        part = {std::move(graph), *made};
    }
    part.graph->replay();
    part.notes.tell(task);
}

}  // namespace civitas::parallel
