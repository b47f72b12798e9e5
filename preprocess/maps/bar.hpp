#pragma once
/// Progress of work that all ranks do.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"

#include <optional>
#include <string>

namespace civitas::maps {

/// Draws progress on the first rank only.
class Bar {
public:
    Bar(const comm::Communicator& ranks, Log& log, const std::string& title, std::int64_t total) {
        if (ranks.is_root()) progress_.emplace(log, title, total);
    }
    void advance(std::int64_t done) {
        if (progress_) progress_->advance(done);
    }

private:
    std::optional<Progress> progress_;
};

}  // namespace civitas::maps
