#pragma once
/// Messages as a strict transport carries them: one at a time, as they were given, and none before
/// both ends have come to it. For tests: whoever gives them in another order blocks.
#include "civitas/base/clock.hpp"
#include "civitas/base/error.hpp"
#include "civitas/comm/point_to_point.hpp"

#include <deque>
#include <utility>

namespace civitas::test {

class OneAtATime final : public comm::PointToPoint {
public:
    /// Collective. Gives up with an Error when nothing has moved for `patience_s`.
    explicit OneAtATime(const comm::Communicator& ranks, double patience_s = 30)
        : ranks_(ranks.dup()), patience_s_(patience_s) {}
    OneAtATime(const OneAtATime&) = delete;
    OneAtATime& operator=(const OneAtATime&) = delete;
    OneAtATime(OneAtATime&&) = delete;
    OneAtATime& operator=(OneAtATime&&) = delete;
    ~OneAtATime() override {
        if (request_ == MPI_REQUEST_NULL) return;
        MPI_Cancel(&request_);
        MPI_Request_free(&request_);
    }

    void send(Rank to, comm::Tag tag, const at::Tensor& data) override {
        count_sent(to, data);
        given_.push_back({true, {to, tag}, data});
        progress();
    }
    void post_receive(Rank from, comm::Tag tag, at::Tensor buffer) override {
        given_.push_back({false, {from, tag}, std::move(buffer)});
        progress();
    }
    [[nodiscard]] bool is_posted(Rank from, comm::Tag tag) const override {
        for (const Given& g : given_)
            if (!g.leaves && g.end == End{from, tag}) return true;
        return come_.contains({from, tag});
    }
    [[nodiscard]] at::Tensor wait(Rank from, comm::Tag tag) override {
        wait_until([&] { return come_.contains({from, tag}); });
        return std::move(come_.extract({from, tag}).mapped());
    }
    void progress() override {
        while (!given_.empty() && first_has_moved()) given_.pop_front();
    }
    void flush() override {
        wait_until([&] { return given_.empty(); });
    }
    void discard() override { come_.clear(); }
    void drain() override { discard(); }
    [[nodiscard]] bool in_order() const noexcept override { return true; }

private:
    using End = std::pair<Rank, comm::Tag>;
    struct Given {
        bool leaves = false;
        End end;
        at::Tensor data;
    };

    template <class Done>
    void wait_until(const Done& done) {
        for (const Stopwatch watch; !done(); progress())
            if (watch.seconds() > patience_s_) throw Error("messages wait for each other");
    }

    // MPI_Issend ends only when the other end has begun to receive.
    bool first_has_moved() {
        const Given& g = given_.front();
        const auto bytes = static_cast<int>(g.data.nbytes());
        const auto peer = index(g.end.first);
        const auto tag = static_cast<int>(g.end.second);
        if (request_ == MPI_REQUEST_NULL) {
            const int code = g.leaves ? MPI_Issend(g.data.data_ptr(), bytes, MPI_BYTE, peer, tag,
                                                   ranks_.raw(), &request_)
                                      : MPI_Irecv(g.data.data_ptr(), bytes, MPI_BYTE, peer, tag,
                                                  ranks_.raw(), &request_);
            civitas::ensure(code == MPI_SUCCESS, "MPI takes the message");
        }
        int done = 0;
        MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
        if (done == 0) return false;
        if (!g.leaves) come_.emplace(g.end, g.data);
        return true;
    }

    comm::Communicator ranks_;
    double patience_s_;
    std::deque<Given> given_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    std::map<End, at::Tensor> come_;
};

}  // namespace civitas::test
