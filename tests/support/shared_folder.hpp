#pragma once
#include "civitas/comm/communicator.hpp"

#include "temporary.hpp"

#include <optional>

namespace civitas::test {

/// One temporary folder for all ranks. Collective; it goes when the last rank is done with it.
class SharedFolder {
public:
    SharedFolder(const comm::Communicator& ranks, const std::string& name) : ranks_(ranks) {
        if (ranks.is_root()) folder_.emplace(name);
        path_ = ranks.broadcast(folder_ ? folder_->path().string() : std::string{});
    }
    SharedFolder(const SharedFolder&) = delete;
    SharedFolder& operator=(const SharedFolder&) = delete;
    ~SharedFolder() { ranks_.barrier(); }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    const comm::Communicator& ranks_;
    std::optional<TemporaryFolder> folder_;
    std::filesystem::path path_;
};

}  // namespace civitas::test
