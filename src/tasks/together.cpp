#include "civitas/tasks/together.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/tasks/pipe_view.hpp"

namespace civitas::tasks {
namespace {

/// How the work of one rank ends.
class JointWork {
public:
    explicit JointWork(const comm::Mesh& mesh) : mesh_(mesh), pipe_(mesh.group(Axis::pipe)) {}

    void run(const std::function<void(const Meet&)>& work) {
        try {
            work([this] { meet(false); });
            meet(false);
        } catch (const comm::Revoked&) {
            leave();
        } catch (const std::exception& e) {
            if (!can_meet()) throw;
            error_ = std::make_exception_ptr(placed(mesh_, e));
            mesh_.backend().revoke();
            leave();
        }
    }
    [[nodiscard]] const comm::Outcome& error() const noexcept { return error_; }

private:
    void meet(bool failed) {
        if (!pipe_.any(failed)) return;
        over_ = true;
        if (!failed) throw comm::Revoked();
    }
    /// The others of the pipe wait at a meeting, unless they have left at one.
    void leave() {
        if (!over_) meet(true);
    }
    [[nodiscard]] bool can_meet() const {
        return mesh_.backend().can_revoke() || mesh_.shape()[Axis::tensor] == 1;
    }

    const comm::Mesh& mesh_;
    const comm::Communicator& pipe_;
    bool over_ = false;
    comm::Outcome error_;
};

}  // namespace

void do_together(const comm::Mesh& mesh, const std::function<void(const Meet&)>& work) {
    JointWork mine(mesh);
    mine.run(work);
    try {
        comm::require_agreement(mesh.world(), mine.error());
    } catch (const AgreedError& error) {
        drain_after(error, mesh, nullptr);
        throw;
    }
}

Error placed(const comm::Mesh& mesh, const std::exception& error) {
    return Error(place_of(mesh) + comm::message_of(error));
}

void drain_after(const AgreedError& error, const comm::Mesh& mesh, comm::PointToPoint* transport) {
    try {
        mesh.drain(transport);
    } catch (const std::exception& later) {
        throw Error(text(error.what(), " Then: ", comm::message_of(later)));
    }
}

}  // namespace civitas::tasks
