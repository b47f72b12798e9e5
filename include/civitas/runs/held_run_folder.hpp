#pragma once
/// The folder of a run while a training works in it.
#include "civitas/base/log.hpp"
#include "civitas/io/folder_lock.hpp"
#include "civitas/runs/run_folder.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace civitas::runs {

/// No other training works in the folder as long as this lives.
struct HeldRunFolder {
    RunFolder folder;
    std::unique_ptr<io::FolderLock> lock;  ///< root only
};
/// Makes what is missing of the folder and removes what a killed training left of files in the
/// making. Collective. Throws AgreedError when another training holds the folder, or when it cannot
/// be made or written.
[[nodiscard]] HeldRunFolder hold_run_folder(const comm::Communicator& world,
                                            const std::string& name, Log& log);

/// Renames metrics that an earlier start left, its configuration, sheets and test scores, to
/// `NAME.old`, or `.old2`, `.old3` ... where that is taken. Returns the new names; none without
/// metrics, which are renamed last. Root only.
std::vector<std::filesystem::path> set_earlier_start_aside(const RunFolder& folder);

/// Renames the sheets of steps after `last` to `NAME.abandoned`, in the same way: they are of a
/// course that was given up. Returns the new names. Root only.
std::vector<std::filesystem::path> set_later_samples_aside(const RunFolder& folder, StepIndex last);

/// Renames a configuration that reads otherwise than `resolved`, which is to take its place, in the
/// same way: somebody may have written it by hand. Returns the new name. Root only.
std::optional<std::filesystem::path> set_other_configuration_aside(const RunFolder& folder,
                                                                   const std::string& resolved);

/// Renames the checkpoints that are later than the folder's checkpoint `last`, or all of them
/// without it, so that no later resume takes them: `ending` is added to their names, and a number
/// where that is taken. Lasting when this returns the new names. Root only.
std::vector<std::filesystem::path> set_checkpoints_aside(
    const RunFolder& folder, const std::optional<std::filesystem::path>& last,
    const std::string& ending);

}  // namespace civitas::runs
