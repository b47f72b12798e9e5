#include "civitas/parallel/replicas.hpp"

#include "meeting_point.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/error.hpp"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/DeviceGuard.h>
#include <functional>
#include <thread>
#include <utility>

namespace civitas::parallel {
namespace {

using schedule::PassId;

/// As long as this lives, this thread computes with as many threads as so many replicas like it.
class ThreadsOfAll {
public:
    explicit ThreadsOfAll(int replicas) : before_(at::get_num_threads()) {
        at::set_num_threads(replicas * before_);
    }
    ThreadsOfAll(const ThreadsOfAll&) = delete;
    ThreadsOfAll& operator=(const ThreadsOfAll&) = delete;
    ~ThreadsOfAll() { at::set_num_threads(before_); }

private:
    int before_;
};

/// The task of a rank as one of its replicas sees it.
class ReplicaTask final : public Task {
public:
    ReplicaTask(Task& of_rank, MeetingPoint& meeting_point, const ReplicaParts& parts, int number,
                int replicas)
        : of_rank_(of_rank),
          meeting_point_(meeting_point),
          parts_(parts),
          number_(number),
          replicas_(replicas) {}

    [[nodiscard]] at::Tensor input(PassId pass, LocalMicroBatch micro,
                                   const at::Tensor& output) override {
        return of_rank_.input(pass, parts_.of_rank(number_, micro), output);
    }
    [[nodiscard]] nn::SampleRange samples(PassId pass, LocalMicroBatch micro) override {
        return of_rank_.samples(pass, parts_.of_rank(number_, micro));
    }
    [[nodiscard]] at::Tensor output_gradient(PassId pass, LocalMicroBatch micro,
                                             const at::Tensor& gradient) override {
        return of_rank_.output_gradient(pass, parts_.of_rank(number_, micro), gradient);
    }
    [[nodiscard]] PassLoss loss(PassId pass, LocalMicroBatch micro, const at::Tensor& y) override {
        return of_rank_.loss(pass, parts_.of_rank(number_, micro), y);
    }
    void record_loss(PassId pass, LocalMicroBatch micro, const at::Tensor& figures) override {
        of_rank_.record_loss(pass, parts_.of_rank(number_, micro), figures);
    }
    void record_statistics(const schedule::Action& visit,
                           const std::vector<nn::Statistics>& statistics) override {
        schedule::Action of_rank = visit;
        of_rank.micro = parts_.of_rank(number_, visit.micro);
        of_rank_.record_statistics(of_rank, statistics);
    }
    void reduce(schedule::NetId net) override {
        alone([&] { of_rank_.reduce(net); });
    }
    void update(schedule::NetId net) override {
        alone([&] { of_rank_.update(net); });
    }

    [[nodiscard]] double waited() const noexcept { return waited_; }
    void begin() noexcept { waited_ = 0; }

private:
    /// Work of the first replica, by the threads of all, which wait before and behind it.
    void alone(const std::function<void()>& work) {
        if (replicas_ == 1) return work();
        const Stopwatch watch;
        meeting_point_.meet();
        waited_ += watch.seconds();
        if (number_ == 0) {
            const ThreadsOfAll threads(replicas_);
            work();
        }
        meeting_point_.meet();
    }

    Task& of_rank_;
    MeetingPoint& meeting_point_;
    ReplicaParts parts_;
    int number_;
    int replicas_;
    double waited_ = 0;
};

}  // namespace

class Replicas::Team {
public:
    using Actions = std::vector<schedule::Action>;

    Team(std::vector<ReplicaNets> replicas, Task& task, const Pipeline& pipeline,
         std::int64_t micro_batches)
        : meeting_point_(static_cast<int>(replicas.size())) {
        const int number = static_cast<int>(replicas.size());
        ensure(number > 0 && micro_batches % number == 0, "replicas have equal parts of a rank's");
        ensure(number == 1 || pipeline.transport == nullptr, "replicas hold whole nets");
        const ReplicaParts parts(micro_batches, number);
        for (ReplicaNets& nets : replicas)
            members_.push_back(std::make_unique<Member>(std::move(nets), pipeline, task,
                                                        meeting_point_, parts, count(), number));
        try {
            start(at::get_num_threads());
        } catch (...) {
            end();
            throw;
        }
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() { end(); }

    void run(const Actions& actions, ActionObserver* observer, Launch launch) {
        meeting_point_.open();
        {
            const std::lock_guard lock(mutex_);
            actions_ = &actions;
            busy_ = count() - 1;
            ++runs_;
        }
        changed_.notify_all();
        run_one(0, actions, observer, launch);
        const Stopwatch watch;
        wait_for_others();
        at_end_ = watch.seconds();
        if (const auto error = meeting_point_.error()) std::rethrow_exception(error);
    }

    void forget_graphs() {
        for (const auto& member : members_) member->executor.forget_graphs();
    }
    [[nodiscard]] int count() const noexcept { return static_cast<int>(members_.size()); }
    [[nodiscard]] double waited() const noexcept {
        return members_.front()->task.waited() + at_end_;
    }
    template <class Of>
    [[nodiscard]] std::int64_t sum(Of&& of) const {
        std::int64_t all = 0;
        for (const auto& member : members_) all += of(member->executor);
        return all;
    }

private:
    struct Member {
        template <class... OfTask>
        Member(ReplicaNets nets, const Pipeline& pipeline, OfTask&&... of_task)
            : device(nets.front().device),
              task(std::forward<OfTask>(of_task)...),
              executor(std::move(nets), task, pipeline) {}
        at::Device device;
        ReplicaTask task;
        Executor executor;
    };

    void start(int threads) {
        busy_ = count() - 1;
        for (int other = 1; other < count(); ++other)
            threads_.emplace_back([this, other, threads] { work(other, threads); });
        wait_for_others();
    }
    void end() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    void wait_for_others() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return busy_ == 0; });
    }
    void run_one(int number, const Actions& actions, ActionObserver* observer, Launch launch) {
        Member& member = *members_[static_cast<std::size_t>(number)];
        member.task.begin();
        try {
            member.executor.run(actions, observer, launch);
        } catch (const Abandoned&) {
            // Who failed has told why.
        } catch (...) {
            meeting_point_.fail(std::current_exception());
        }
    }

    // A thread takes libtorch's number of threads when it first asks for it, and its own after
    // that.
    void work(int number, int threads) {
        const at::NoGradGuard nothing_is_taped;
        const c10::DeviceGuard on_own(members_[static_cast<std::size_t>(number)]->device);
        std::unique_lock lock(mutex_);
        (void)at::get_num_threads();
        at::set_num_threads(threads);
        for (std::int64_t done = 0;;) {
            if (--busy_ == 0) changed_.notify_all();
            changed_.wait(lock, [&] { return ending_ || runs_ != done; });
            if (ending_) return;
            done = runs_;
            const Actions& actions = *actions_;
            lock.unlock();
            run_one(number, actions, nullptr, Launch::each);
            lock.lock();
        }
    }

    MeetingPoint meeting_point_;
    std::vector<std::unique_ptr<Member>> members_;
    double at_end_ = 0;  ///< seconds that the caller waited for the others to come to rest
    std::mutex mutex_;
    std::condition_variable changed_;
    const Actions* actions_ = nullptr;  ///< of the run that is going on
    std::int64_t runs_ = 0;             ///< begun
    int busy_ = 0;                      ///< replicas but the first that have not ended theirs
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

Replicas::Replicas(std::vector<ReplicaNets> replicas, Task& task, const Pipeline& pipeline,
                   std::int64_t micro_batches)
    : team_(std::make_unique<Team>(std::move(replicas), task, pipeline, micro_batches)) {}

Replicas::~Replicas() = default;

void Replicas::run(const std::vector<schedule::Action>& actions, ActionObserver* observer,
                   Launch launch) {
    ensure(launch == Launch::each || count() == 1, "threads of one process record no graphs");
    team_->run(actions, observer, launch);
}

void Replicas::forget_graphs() { team_->forget_graphs(); }

int Replicas::count() const noexcept { return team_->count(); }
double Replicas::waited() const noexcept { return team_->waited(); }

std::int64_t Replicas::peak_bytes() const noexcept {
    return team_->sum([](const Executor& executor) { return executor.peak_bytes(); });
}
std::int64_t Replicas::peak_gathered_bytes() const noexcept {
    return team_->sum([](const Executor& executor) { return executor.peak_gathered_bytes(); });
}
std::int64_t Replicas::peak_message_bytes() const noexcept {
    return team_->sum([](const Executor& executor) { return executor.peak_message_bytes(); });
}

}  // namespace civitas::parallel
