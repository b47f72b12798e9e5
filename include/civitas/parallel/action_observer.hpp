#pragma once
/// What one rank does, told while it happens.
#include "civitas/base/timeline.hpp"
#include "civitas/schedule/schedule.hpp"

#include <vector>

namespace civitas::parallel {

class ActionObserver {
public:
    ActionObserver() = default;
    ActionObserver(const ActionObserver&) = delete;
    ActionObserver& operator=(const ActionObserver&) = delete;
    virtual ~ActionObserver() = default;

    virtual void begin(const schedule::Action& action) = 0;
    /// Called between begin() and end(): from now on the action waits for what this pipe coordinate
    /// makes.
    virtual void waiting_for(PipeCoordinate coordinate) = 0;
    /// Called between begin() and end(): the action has come to this layer, counted over its stage
    /// as it is here.
    virtual void at_layer(std::size_t /*layer*/) {}
    /// The action has ended; `waited_s`: seconds of it that it waited.
    virtual void end(const schedule::Action& action, double waited_s) = 0;
};

/// Several observers of the same actions, told one after the other.
class ActionObservers final : public ActionObserver {
public:
    /// The observer outlives this.
    void add(ActionObserver& observer) { observers_.push_back(&observer); }

    void begin(const schedule::Action& action) override;
    void waiting_for(PipeCoordinate coordinate) override;
    void at_layer(std::size_t layer) override;
    void end(const schedule::Action& action, double waited_s) override;

private:
    std::vector<ActionObserver*> observers_;
};

/// An action as it ran, in seconds of its recording's clock.
struct Performed {
    schedule::Action action;
    double begin_s = 0;
    double waited_s = 0;  ///< for its input, at the beginning
    double end_s = 0;
};
/// What a rank did since the timeline's clock was started: the executor's actions, in order, and
/// what it told other ranks in the midst of them.
struct Recording {
    Timeline timeline;
    std::vector<Performed> actions;
};

/// Writes down every action that ends.
class Recorder final : public ActionObserver {
public:
    explicit Recorder(Recording& recording) : recording_(recording) {}
    void begin(const schedule::Action& action) override;
    void waiting_for(PipeCoordinate coordinate) override;
    void end(const schedule::Action& action, double waited_s) override;

private:
    Recording& recording_;
    double begun_s_ = 0;
};

}  // namespace civitas::parallel
