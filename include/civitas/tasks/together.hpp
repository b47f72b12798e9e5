#pragma once
/// Work between steps that ranks of a mesh do together: an error of one of them is everybody's.
#include "civitas/base/error.hpp"
#include "civitas/comm/mesh.hpp"

#include <functional>

namespace civitas::tasks {

/// Where ranks meet along the pipe axis; throws comm::Revoked when one of them has failed.
/// Collective along it.
using Meet = std::function<void()>;

/// Runs `work` on every rank. It may exchange along the tensor and data axes, and along the pipe
/// what cannot fail, right after a meeting; ranks of a pipe meet equally often. Collective. Throws
/// an AgreedError on all ranks when one of them has failed, with its cause and place, and then
/// nothing is on its way; where the others cannot be reached (NCCL along the tensor axis) only the
/// rank that fails throws, and it has to end the job.
void do_together(const comm::Mesh& mesh, const std::function<void(const Meet&)>& work);

/// The error of a rank as all are told it: with its place.
[[nodiscard]] Error placed(const comm::Mesh& mesh, const std::exception& error);

/// Ends what is on its way along the mesh and by `transport`, which may be null, after an error
/// that all ranks know of. An error on the way keeps the first one's words. Collective.
void drain_after(const AgreedError& error, const comm::Mesh& mesh, comm::PointToPoint* transport);

}  // namespace civitas::tasks
