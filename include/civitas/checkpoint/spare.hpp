#pragma once
/// Files that saves write over.
#include <filesystem>

namespace civitas::checkpoint {

/// A file that is a checkpoint no more, for the next save to write over: file systems write faster
/// where the blocks of a file are there already. Removed at the end if it still has its name. Root
/// only.
class Spare {
public:
    Spare() = default;
    /// Gives a checkpoint the name of a part, so that nobody takes it for one.
    explicit Spare(const std::filesystem::path& checkpoint);
    Spare(Spare&& other) noexcept;
    Spare& operator=(Spare&& other) noexcept;
    Spare(const Spare&) = delete;
    Spare& operator=(const Spare&) = delete;
    ~Spare();

    [[nodiscard]] const std::filesystem::path& part() const noexcept { return part_; }
    /// Whether there is one, and writing over it harms nobody: it has no other name, and the file
    /// system grants that no process has it open.
    [[nodiscard]] bool may_be_written_over() const;

private:
    void remove() noexcept;
    std::filesystem::path part_;
};

}  // namespace civitas::checkpoint
