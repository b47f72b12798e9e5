#pragma once
/// A rank that makes gradients, as the root sends it.
#include "civitas/base/clock.hpp"
#include "civitas/base/error.hpp"
#include "civitas/base/exit.hpp"
#include "civitas/server/endpoint.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace civitas::server {

/// What the root says is to be done.
struct Order {
    enum class What : std::int64_t { item, end, fail };
    What what = What::end;
    WorkItem item = {};     ///< to be made
    Exit how = Exit::done;  ///< of the end
};
[[nodiscard]] Message to_message(const Order& order);
[[nodiscard]] Order order_of(const Message& message);

/// The root has let this rank go while it waited: for an error of another rank, or since others
/// have made what it was to make.
class Dismissed : public AgreedError {
public:
    explicit Dismissed(Exit how) : AgreedError("another rank has failed", false), how_(how) {}
    [[nodiscard]] Exit how() const noexcept { return how_; }

private:
    Exit how_;
};

/// What a message to take is that asks for nothing more.
inline constexpr std::int64_t leaving = 1;

/// Words of an error that travel to the root, bytes.
inline constexpr std::int64_t most_words = 4096;

class Worker {
public:
    /// `serve`: called while this rank waits, and now and then while it computes: it may be a
    /// server, too. Returns whether there was an update to make. `endpoint` must outlive this.
    Worker(Endpoint& endpoint, Rank me, std::function<bool()> serve);

    /// Asks for the next order, and waits for it. Throws Dismissed when the job ends otherwise.
    [[nodiscard]] Order next();
    /// Asks, too, but does not wait: nothing where there is no order yet. Throws as next().
    [[nodiscard]] std::optional<Order> try_next();
    /// Waits for an order, unasked for. Throws as next().
    [[nodiscard]] Order wait_for_order();
    /// Makes an item; what is pushed and pulled meanwhile is of it.
    void make(WorkItem item, const std::function<void()>& work);
    /// Another item that is given to a worker that waits within its own is made by `make_too`.
    void make_others_by(std::function<void(WorkItem)> make_too) { make_too_ = std::move(make_too); }
    /// Waits until something is there. Throws Dismissed when the job ends.
    void wait(const std::function<bool()>& is_there);
    /// The same, and nothing else is made meanwhile.
    void wait_alone(const std::function<bool()>& is_there);
    /// Tells the root what came of an item: `numbers`, as many for each.
    void tell(WorkItem item, const Envelope& envelope, std::span<const double> numbers);
    /// Tells the root of an error of this rank, waits until it has told all, and throws Dismissed.
    [[noreturn]] void fail(const std::string& words);
    /// Tells the root that this rank has heard of the end.
    void leave();

    /// Answers what others ask of this rank, and makes the updates that can be made.
    void serve();
    /// What has become of its time.
    struct Spent {
        double seconds = 0;
        double exchanging = 0;    ///< for gradients to leave and weights to come, within items
        double without_item = 0;  ///< in which there was neither an item nor an update to make
    };
    /// Since this was asked last, or the worker was made. Precondition: an item is being made.
    [[nodiscard]] Spent spent();
    /// Gradients and weights are exchanged while it lives. Updates and other items that are made
    /// meanwhile do not count.
    class Exchange {
    public:
        explicit Exchange(Worker& worker)
            : worker_(worker), outer_(std::exchange(worker.exchange_, this)) {}
        Exchange(const Exchange&) = delete;
        Exchange& operator=(const Exchange&) = delete;
        ~Exchange() {
            pause();
            worker_.exchange_ = outer_;
        }

    private:
        friend class Worker;
        void pause() { worker_.spent_.exchanging += watch_.seconds() - updates_s_; }
        void go_on() {
            watch_.restart();
            updates_s_ = 0;
        }

        Worker& worker_;
        Exchange* outer_;
        Stopwatch watch_;
        double updates_s_ = 0;  ///< since it goes on
    };

    [[nodiscard]] WorkItem item() const { return making_.back(); }
    [[nodiscard]] std::int64_t number() const noexcept { return index(me_); }

private:
    void ask();
    [[nodiscard]] Order first_order();
    void make_too(WorkItem item);
    /// Takes an order that has come; throws for a failure.
    void take_order();

    Endpoint& endpoint_;
    Rank me_;
    std::function<bool()> serve_;
    std::function<void(WorkItem)> make_too_;
    std::vector<WorkItem> making_;  ///< the last one within those before it
    std::deque<Order> orders_;
    bool asked_ = false;
    Stopwatch since_spent_, since_item_;
    Exchange* exchange_ = nullptr;  ///< that lives, the innermost
    Spent spent_;
};

}  // namespace civitas::server
