#pragma once
/// Kernels that are launched together, as one CUDA graph. Programs that are built without CUDA have
/// none.
#include <ATen/core/Tensor.h>
#include <functional>
#include <memory>
#include <vector>

namespace civitas::gpu {

class Graph {
public:
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    virtual ~Graph() = default;

    /// Launches kernels, and returns the tensors that are looked at when they have run.
    using Work = std::function<std::vector<at::Tensor>()>;
    /// Records what `work` launches, without running it. What it allocates is memory of the graph's
    /// own, which each replay() uses again; what it reads from elsewhere must stay where it is.
    virtual void record(const Work& work) = 0;
    /// Runs what has been recorded.
    virtual void replay() = 0;
};

/// Makes graphs that are replayed in the order in which they were recorded, and share memory. When
/// all are gone, the next ones share memory of their own.
using MakeGraph = std::function<std::unique_ptr<Graph>()>;
/// Of a GPU. Graphs can be recorded while an OwnStream lives.
[[nodiscard]] MakeGraph graphs_of(at::Device gpu);

/// As long as this lives, the calling thread gives its work to a stream of its own.
class OwnStream {
public:
    explicit OwnStream(at::Device gpu);
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;
    ~OwnStream();

private:
    struct Guard;
    std::unique_ptr<Guard> guard_;
};

}  // namespace civitas::gpu
