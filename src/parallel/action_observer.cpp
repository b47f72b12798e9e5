#include "civitas/parallel/action_observer.hpp"

namespace civitas::parallel {

void ActionObservers::begin(const schedule::Action& action) {
    for (ActionObserver* observer : observers_) observer->begin(action);
}

void ActionObservers::waiting_for(PipeCoordinate coordinate) {
    for (ActionObserver* observer : observers_) observer->waiting_for(coordinate);
}

void ActionObservers::at_layer(std::size_t layer) {
    for (ActionObserver* observer : observers_) observer->at_layer(layer);
}

void ActionObservers::end(const schedule::Action& action, double waited_s) {
    for (ActionObserver* observer : observers_) observer->end(action, waited_s);
}

}  // namespace civitas::parallel
