#pragma once
/// Where trainings that nobody keeps have their run folders.
#include <filesystem>

namespace civitas::compare {

/// A new folder beside `output`, `output.runs-PID`, that is gone with all that is in it when this
/// goes: on the rank that made it, where others have left it before.
class ScratchFolder {
public:
    /// Throws Error where no folder can be made.
    explicit ScratchFolder(const std::filesystem::path& output);
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() { clear(path_); }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    /// Removes a folder as far as that can be: what stays is nobody's loss.
    static void clear(const std::filesystem::path& folder) noexcept;

private:
    std::filesystem::path path_;
};

}  // namespace civitas::compare
