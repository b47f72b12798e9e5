// Ranks are processes here, one or all of which are killed while they claim batches of one counter.
#include "support/catch.hpp"

#include "civitas/async/batch_counter.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

using namespace civitas;
using async::BatchCounter;

namespace {

constexpr std::int64_t batches = 2000;

/// What the process that is to be killed has done.
enum class Victim : std::int32_t { none_yet, has_claimed, dies };

/// What processes share: a counter, and how often each batch was handed out, and made.
struct SharedByProcesses {
    alignas(64) std::array<std::byte, 1024> counter;
    std::array<std::int32_t, batches> handed_out, made;
    Victim victim;
};

/// Processes in the place of ranks, which end with this.
class Processes {
public:
    Processes(int ranks, std::optional<std::int64_t> bound) : ranks_(ranks), bound_(bound) {
        REQUIRE(memory_ != MAP_FAILED);
        REQUIRE(BatchCounter::bytes_for(ranks) <= shared().counter.size());
        of(0).open(0, batches);
    }
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;
    ~Processes() {
        kill_all();
        for (const pid_t process : running_) waitpid(process, nullptr, 0);
        munmap(memory_, sizeof(SharedByProcesses));
    }
    [[nodiscard]] SharedByProcesses& shared() const {
        return *static_cast<SharedByProcesses*>(memory_);
    }
    [[nodiscard]] BatchCounter of(int rank) const {
        return {shared().counter, ranks_, rank, bound_};
    }
    /// All make their steps; `victim`, if any, is killed in one of the first half of them.
    void start(std::optional<int> victim) {
        for (int rank = 0; rank < ranks_; ++rank) {
            const pid_t process = fork();
            REQUIRE(process >= 0);
            if (process == 0) victim == rank ? work_and_die(rank) : work(rank, victim.has_value());
            running_.push_back(process);
        }
    }
    /// How a process has ended, as waitpid() has it; none: those that are left run.
    [[nodiscard]] std::optional<int> one_that_has_ended() {
        for (const pid_t process : running_) {
            int how = 0;
            if (waitpid(process, &how, WNOHANG) != process) continue;
            std::erase(running_, process);
            return how;
        }
        return std::nullopt;
    }
    /// Waits until a process ends, but not for ever, and tells how.
    [[nodiscard]] int wait_for_one() {
        for (int tries = 0; tries < 20'000; ++tries) {
            if (const auto how = one_that_has_ended()) return *how;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        FAIL("processes stay");
        return -1;
    }
    [[nodiscard]] bool any_left() const { return !running_.empty(); }
    void kill_all() const {
        for (const pid_t process : running_) kill(process, SIGKILL);
    }

private:
    static void count(std::int32_t& number) { std::atomic_ref(number).fetch_add(1); }
    [[nodiscard]] std::optional<std::int64_t> claim(const BatchCounter& counter) const {
        const auto batch = counter.claim();
        if (batch) count(shared().handed_out.at(static_cast<std::size_t>(*batch)));
        return batch;
    }
    /// Ends the step while the batch of the next one is claimed, and returns that.
    [[nodiscard]] std::optional<std::int64_t> end(const BatchCounter& counter,
                                                  const async::BegunStep& step) const {
        const auto next = claim(counter);
        rest();
        count(shared().made.at(static_cast<std::size_t>(step.batch)));
        (void)counter.end(step);
        return next;
    }
    static void rest() { std::this_thread::sleep_for(std::chrono::microseconds(5)); }
    [[nodiscard]] std::atomic_ref<Victim> victim() const {
        return std::atomic_ref(shared().victim);
    }
    void wait_for(Victim what) const {
        while (victim().load() < what) rest();
    }

    [[noreturn]] void work(int rank, bool there_is_a_victim) const {
        if (there_is_a_victim) wait_for(Victim::has_claimed);
        const BatchCounter counter = of(rank);
        for (auto batch = claim(counter); batch;) {
            // In turn they need not wait: each step waits for those of all earlier batches.
            if (there_is_a_victim && bound_ != 0 && *batch >= batches / 2) wait_for(Victim::dies);
            const auto step = counter.begin(*batch, rest);
            if (!step) break;
            batch = end(counter, *step);
        }
        _exit(0);
    }
    [[noreturn]] void work_and_die(int rank) const noexcept {
        const BatchCounter counter = of(rank);
        for (auto batch = claim(counter);;) {
            if (victim().load() == Victim::none_yet) victim().store(Victim::has_claimed);
            const auto step = counter.begin(batch.value(), rest);
            if (step->batch < 100) {
                batch = end(counter, *step);
                continue;
            }
            (void)claim(counter);
            victim().store(Victim::dies);
            (void)kill(getpid(), SIGKILL);
        }
    }

    int ranks_;
    std::optional<std::int64_t> bound_;
    void* memory_ = mmap(nullptr, sizeof(SharedByProcesses), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    std::vector<pid_t> running_;
};

std::ptrdiff_t count_of(const std::array<std::int32_t, batches>& all, std::int32_t times) {
    return std::count(all.begin(), all.end(), times);
}

bool is_killed(int how) { return WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL; }

}  // namespace

TEST_CASE("when one process is killed in a step, the others make all batches but its own, once") {
    for (const int ranks : {1, 2, 3, 4}) {
        INFO(ranks << " ranks");
        Processes processes(ranks, std::nullopt);
        processes.start(ranks - 1);
        int killed = 0;
        while (processes.any_left()) killed += is_killed(processes.wait_for_one()) ? 1 : 0;
        CHECK(killed == 1);
        const auto& [counter, handed_out, made, victim] = processes.shared();
        // Its step, and the batch that it had claimed ahead.
        const auto lost = count_of(handed_out, 1) - count_of(made, 1);
        CHECK(lost == 2);
        CHECK(count_of(handed_out, 1) + count_of(handed_out, 0) == batches);
        CHECK(count_of(made, 1) + count_of(made, 0) == batches);
        CHECK(count_of(handed_out, 1) == processes.of(0).next());
        if (ranks > 1) CHECK(processes.of(0).next() == batches);
    }
}

TEST_CASE("with a bound, nobody runs away from a process that is killed, nor takes its batch") {
    for (const std::int64_t bound : {0, 2}) {
        INFO("bound " << bound);
        Processes processes(3, bound);
        processes.start(1);
        CHECK(is_killed(processes.wait_for_one()));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK_FALSE(processes.one_that_has_ended());
        const auto& [counter, handed_out, made, victim] = processes.shared();
        // They wait for its step, which is at most the earliest but `bound` of those that are made.
        const auto before = count_of(made, 1);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK(count_of(made, 1) == before);
        processes.of(0).fail();
        while (processes.any_left()) CHECK(processes.wait_for_one() == 0);
        CHECK(count_of(handed_out, 1) + count_of(handed_out, 0) == batches);
        CHECK(count_of(made, 1) + count_of(made, 0) == batches);
        CHECK(count_of(handed_out, 1) < batches);
        CHECK(count_of(made, 1) < count_of(handed_out, 1));
    }
}

TEST_CASE("processes that are killed at any moment, with the job, have no batch in common") {
    for (int round = 0; round < 20; ++round) {
        INFO("round " << round);
        Processes processes(4, std::nullopt);
        processes.start(std::nullopt);
        std::this_thread::sleep_for(std::chrono::microseconds(500 * round));
        processes.kill_all();
        while (processes.any_left()) (void)processes.wait_for_one();
        const auto& [counter, handed_out, made, victim] = processes.shared();
        CHECK(count_of(handed_out, 1) + count_of(handed_out, 0) == batches);
        CHECK(count_of(made, 1) + count_of(made, 0) == batches);
    }
}
