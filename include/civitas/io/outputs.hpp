#pragma once
/// The one place that decides whether an output may be written. Every command that writes names
/// here what it reads and writes, before any work.
#include "civitas/comm/communicator.hpp"
#include "civitas/io/file_format.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace civitas::io {

/// A file, or for an input also a folder, by the word that named it: {"--output", "plans.h5"}.
struct NamedFile {
    std::string name;
    std::filesystem::path file;
    /// Formats that an output can be written in. None: its name may tell any.
    std::vector<FileFormat> formats{};
};

/// Entries without a file are skipped: options that were not given.
struct CommandFiles {
    std::vector<NamedFile> reads;  ///< have to be there; a folder stands for every file in it
    std::vector<NamedFile> writes;
    bool overwrite = false;           ///< outputs that exist may be replaced
    std::string besides_overwrite{};  ///< more to say in the hint about one that exists
    /// Folders that are made where they are not there, with outputs that are always replaced.
    std::vector<NamedFile> folders{};
    std::vector<NamedFile> may_read{};  ///< where they are there, or once they are: as `reads`
};

/// Throws UsageError with a hint unless what is read is there, every output can be written and
/// nothing is lost by it: an output is no input and no other output of the command (the same file
/// counts by whatever name or link); its name does not tell another format; it does
/// not exist, or it is a regular file and `overwrite` was said; its folder is there and a file can
/// be made in it. A folder of outputs is not in an input, and can be made. Leaves nothing behind.
void require_writable(const CommandFiles& files);

/// require_writable() by the root, for the files that it sees, for all ranks, which throw the same
/// AgreedError. Collective.
void agree_on_outputs(const comm::Communicator& ranks,
                      const std::function<CommandFiles()>& files_seen);

}  // namespace civitas::io
