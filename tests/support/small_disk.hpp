#pragma once
#include <sys/mount.h>
#include <filesystem>
#include <string>
#include <utility>

namespace civitas::test {

/// A disk in memory over a folder, of a size such as "400k", where this process may mount one.
class SmallDisk {
public:
    SmallDisk(std::filesystem::path folder, const std::string& size)
        : folder_(std::move(folder)),
          mounted_(mount("tmpfs", folder_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0) {}
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk() {
        if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
    }
    [[nodiscard]] bool mounted() const { return mounted_; }

private:
    std::filesystem::path folder_;
    bool mounted_;
};

}  // namespace civitas::test
