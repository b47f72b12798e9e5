#pragma once
/// `--trace`: what every rank did in the first steps of a start, as one file.
#include "civitas/comm/mesh.hpp"
#include "civitas/io/files.hpp"
#include "civitas/parallel/action_observer.hpp"
#include "civitas/planner/execution_layout.hpp"

#include <filesystem>

namespace civitas::steps {

inline constexpr std::int64_t traced_steps = 20;

class Tracer {
public:
    /// Collective: starts the clocks together.
    Tracer(std::filesystem::path file, io::Replace replace, const comm::Mesh& mesh,
           const planner::ExecutionLayout& layout);
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;
    Tracer(Tracer&&) = delete;
    Tracer& operator=(Tracer&&) = delete;
    ~Tracer() { listen(nullptr); }

    /// Where the next step is recorded, null after the last that is traced. Between steps, when
    /// samples are drawn, exchanges are not written down.
    [[nodiscard]] parallel::Recording* begin_step();
    /// Call after every step.
    void step_done();
    /// Write the file once the last step has been traced. Collective; throws AgreedError.
    void write_when_done();
    /// Write what there is, unless it has been written: the root, which holds what the ranks of one
    /// replica have recorded at a time. Collective; throws AgreedError.
    void finish();

private:
    /// The exchanges of this rank's axes write into this timeline; none for null.
    void listen(Timeline* timeline) const;

    std::filesystem::path file_;
    io::Replace replace_;
    const comm::Mesh& mesh_;
    const planner::ExecutionLayout& layout_;
    parallel::Recording recording_;
    std::int64_t steps_ = 0;
    bool written_ = false;
};

}  // namespace civitas::steps
