#include "civitas/parallel/action_observer.hpp"

namespace civitas::parallel {

void Recorder::begin(const schedule::Action& /*action*/) {
    begun_s_ = recording_.timeline.clock.seconds();
}

void Recorder::waiting_for(PipeCoordinate /*coordinate*/) {}

void Recorder::end(const schedule::Action& action, double waited_s) {
    recording_.actions.push_back({action, begun_s_, waited_s, recording_.timeline.clock.seconds()});
}

}  // namespace civitas::parallel
