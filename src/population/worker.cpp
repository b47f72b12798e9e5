#include "worker.hpp"

#include "civitas/base/error.hpp"

#include <iostream>

namespace civitas::population {

Worker::Worker(const comm::Communicator& job, const Round& round,
               const std::vector<Member>& members, const Work& work)
    : group_(round.groups.group_of(job.rank())),
      ranks_(job.split(static_cast<int>(group_.value_or(round.groups.size())), index(job.rank()))),
      place_(group_ ? std::optional(round.members.at(*group_)) : std::nullopt),
      member_(place_ ? &members.at(*place_) : nullptr),
      work_(work),
      log_(ranks_.rank(), member_ == nullptr ? "" : name_of(*member_)) {}

Ending Worker::train() {
    Ending ending;
    if (member_ == nullptr) return ending;
    try {
        ending.exit = work_.train(ranks_, *member_, log_);
    } catch (const AgreedError& e) {
        ending.exit = e.usage() ? Exit::usage : Exit::error;
        ending.cause = e.what();
        if (speaks()) std::cerr << log_.spoken("error: " + ending.cause) + '\n' << std::flush;
    }
    if (speaks()) ending.steps = work_.steps(*member_);
    return ending;
}

Ending Worker::evaluate(const std::vector<Ending>& endings) {
    if (member_ == nullptr) return {};
    Ending ending = endings.at(*place_);
    if (ending.exit != Exit::done) return ending;
    try {
        ending.figures = work_.evaluate(ranks_, *member_, log_);
    } catch (const AgreedError& e) {
        if (speaks()) log_.warn(text("cannot be compared: ", e.what()));
    }
    return ending;
}

}  // namespace civitas::population
