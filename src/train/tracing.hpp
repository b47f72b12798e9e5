#pragma once
/// `--trace`: what every rank did in the first steps of a start, as one file.
#include "setting.hpp"

#include "civitas/comm/mesh.hpp"
#include "civitas/io/files.hpp"
#include "civitas/parallel/executor.hpp"
#include "civitas/report/trace.hpp"

#include <filesystem>
#include <vector>

namespace civitas::train {

inline constexpr std::int64_t traced_steps = 20;

/// Recorded actions of one rank as spans of a trace: waiting and doing apart.
[[nodiscard]] std::vector<report::TraceSpan> spans_of(int rank,
                                                      std::span<const parallel::Performed> actions);

/// Exchanges and meetings of one rank, which lie inside its actions.
[[nodiscard]] std::vector<report::TraceSpan> spans_of(int rank, std::span<const TalkSpan> talks);

/// The messages between coordinates of one row of the pipe axis. `actions` and `ranks` by pipe
/// coordinate; the actions may be those of several steps.
[[nodiscard]] std::vector<report::TraceMessage> messages_of(
    std::span<const std::vector<parallel::Performed>> actions, std::span<const int> ranks,
    const parallel::Placement& placement, int stages);

class Tracer {
public:
    /// Collective: starts the clocks together.
    Tracer(std::filesystem::path file, io::Replace replace, const comm::Mesh& mesh,
           const Setting& setting);
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;
    Tracer(Tracer&&) = delete;
    Tracer& operator=(Tracer&&) = delete;
    ~Tracer() { listen(nullptr); }

    /// Where the next step is recorded, null after the last that is traced. Between steps, when
    /// samples are drawn, exchanges are not written down.
    [[nodiscard]] parallel::Recording* begin_step();
    /// Call after every step: writes the file after the last traced one. Collective.
    void step_done();
    /// Write what there is, unless it has been written. Collective.
    void finish();

private:
    /// The exchanges of this rank's axes write into this timeline; none for null.
    void listen(Timeline* timeline) const;

    std::filesystem::path file_;
    io::Replace replace_;
    const comm::Mesh& mesh_;
    const Setting& setting_;
    parallel::Recording recording_;
    std::int64_t steps_ = 0;
    bool written_ = false;
};

}  // namespace civitas::train
