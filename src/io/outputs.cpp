#include "civitas/io/outputs.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/shell.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <optional>

namespace civitas::io {
namespace {

namespace fs = std::filesystem;

/// What makes two names the same file: device and inode where it exists, else the name of its
/// folder without links, and its own.
struct Identity {
    fs::path name;
    std::optional<std::pair<dev_t, ino_t>> node;
    friend bool operator==(const Identity& a, const Identity& b) {
        return a.node && b.node ? a.node == b.node : a.name == b.name;
    }
};

/// Of what is there.
std::optional<std::pair<dev_t, ino_t>> node_of(const fs::path& target) {
    struct stat facts {};
    if (::stat(target.c_str(), &facts) != 0) return std::nullopt;
    return std::pair(facts.st_dev, facts.st_ino);
}

Identity identity_of(const fs::path& target) {
    std::error_code unknown;
    return {fs::weakly_canonical(fs::absolute(target, unknown), unknown), node_of(target)};
}

/// `--output plans-2.h5`: the first such name that nothing has.
std::string another_name(const NamedFile& output) {
    if (!output.name.starts_with("--")) return "another --output";  // this name follows from it
    std::error_code unknown;
    for (int number = 2;; ++number) {
        fs::path other = output.file;
        other.replace_filename(
            text(output.file.stem().string(), '-', number, output.file.extension().string()));
        if (!fs::exists(fs::symlink_status(other, unknown)))
            return text(output.name, ' ', shell_quoted(other));
    }
}

std::string said(const NamedFile& file) { return text(file.name, ' ', file.file.string()); }

/// An output that has been looked at.
struct Output {
    NamedFile named;
    Identity file;
};

void require_folder(const NamedFile& output, const fs::path& target) {
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    std::error_code unknown;
    if (!fs::exists(fs::status(folder, unknown)))
        throw UsageError(text(said(output), ": there is no folder ", folder.string()),
                         Hint{"mkdir -p " + shell_quoted(folder)});
    if (!fs::is_directory(folder, unknown))
        throw UsageError(text(said(output), ": ", folder.string(), " is no folder"),
                         Hint{another_name({output.name, target.filename()})});
}

/// Only making a part shows whether it can be made: rights alone do not tell of a file system.
void try_part(const NamedFile& output, const fs::path& target) {
    std::error_code failed, unknown;
    const fs::path part = make_part(target, failed);
    if (failed)
        throw UsageError(text(said(output), " cannot be written: ", failed.message()),
                         Hint{"check the rights and the free space of " +
                              shell_quoted(fs::absolute(target, unknown).parent_path())});
    ::unlink(part.c_str());
}

/// Nothing there, or a regular file.
void require_regular(const NamedFile& output) {
    std::error_code unknown;
    const auto found = fs::status(output.file, unknown);
    if (!fs::exists(found) || fs::is_regular_file(found)) return;
    throw UsageError(text(said(output), ": is ", kind_of(found), ", no regular file"),
                     Hint{another_name(output)});
}

/// An extension that nobody knows says nothing, and neither does none.
void require_format(const NamedFile& output) {
    const auto& able = output.formats;
    const std::optional<FileFormat> told = format_of(output.file);
    if (able.empty() || !told || std::find(able.begin(), able.end(), *told) != able.end()) return;
    const auto words = [](FileFormat format) { return join(extensions_of(format), " or "); };
    throw UsageError(
        text(said(output), ": what is written is no ", extension_of(output.file), " file"),
        Hint{text("a ", join(able, " or ", words), " file")});
}

void require_leave(const NamedFile& output, const fs::path& target, const CommandFiles& files) {
    std::error_code unknown;
    if (!fs::exists(target, unknown)) return;
    const std::string link = target == output.file ? "" : " (a link to " + target.string() + ")";
    if (!files.overwrite)
        throw UsageError(text(said(output), link, " exists already"),
                         Hint{text("--overwrite replaces it", files.besides_overwrite, "; or ",
                                   another_name(output))});
    if (::access(target.c_str(), W_OK) != 0)
        throw UsageError(text(said(output), link, " is not to be written: ", system_error()),
                         Hint{"chmod u+w " + shell_quoted(target)});
}

fs::path followed(const NamedFile& output) {
    try {
        return target_of(output.file);
    } catch (const Error& circle) {
        throw UsageError(text(output.name, ": ", circle.what()));
    }
}

void refuse_input(const NamedFile& output, const NamedFile& input, const fs::path& where) {
    const std::string whose = where == input.file ? "" : ", which holds " + where.string();
    throw UsageError(
        text(said(output), " would be written over ", said(input), whose, ", which is read"),
        Hint{another_name(output)});
}

bool lies_in(const fs::path& file, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
           folder.end();
}

void require_outside(const Output& output, const NamedFile& folder) {
    if (lies_in(output.file.name, identity_of(folder.file).name))
        throw UsageError(
            text(said(output.named), " would be written into ", said(folder), ", which is read"),
            Hint{another_name({output.named.name, output.named.file.filename()})});
    if (!output.file.node) return;  // none of the files, which there may be millions of
    std::error_code failed;
    const auto some = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(folder.file, some, failed), end; !failed && at != end;
         at.increment(failed))
        if (node_of(at->path()) == output.file.node) refuse_input(output.named, folder, at->path());
}

void require_no_input(const Output& output, const CommandFiles& files) {
    std::error_code unknown;
    for (const auto* inputs : {&files.reads, &files.may_read})
        for (const NamedFile& input : *inputs) {
            if (input.file.empty()) continue;
            if (output.file == identity_of(input.file))
                refuse_input(output.named, input, input.file);
            if (fs::is_directory(input.file, unknown)) require_outside(output, input);
        }
}

/// What cannot be looked at is told of when it is opened.
void require_inputs(const std::vector<NamedFile>& inputs) {
    std::error_code unknown;
    for (const NamedFile& input : inputs)
        if (!input.file.empty() &&
            fs::status(input.file, unknown).type() == fs::file_type::not_found)
            throw UsageError(text(said(input), ": there is no such file"),
                             Hint{"check the name and the folder"});
}

void require_apart(const Output& output, const std::vector<Output>& others) {
    for (const Output& other : others)
        if (output.file == other.file)
            throw UsageError(
                text(said(other.named), " and ", said(output.named), " are the same file"),
                Hint{another_name(output.named)});
}

/// A folder, or a name that can become one.
void require_room(const NamedFile& folder) {
    fs::path there = folder.file;
    std::error_code unknown;
    while (!fs::exists(fs::symlink_status(there, unknown)))
        there = there.has_parent_path() ? there.parent_path() : fs::path(".");
    if (!fs::is_directory(there, unknown))
        throw UsageError(text(said(folder), ": ", there.string(), " is no folder"),
                         Hint{another_name({folder.name, there})});
    try_part(folder, there / folder.file.filename());
}

}  // namespace

void require_writable(const CommandFiles& files) {
    require_inputs(files.reads);
    std::vector<Output> seen;
    for (const NamedFile& named : files.writes) {
        if (named.file.empty()) continue;
        require_regular(named);
        const fs::path target = followed(named);
        require_folder(named, target);
        const Output output{named, identity_of(target)};
        require_no_input(output, files);
        require_apart(output, seen);
        require_format(named);
        require_leave(named, target, files);
        try_part(named, target);
        seen.push_back(output);
    }
    for (const NamedFile& named : files.folders) {
        if (named.file.empty()) continue;
        require_room(named);
        require_no_input({named, identity_of(named.file)}, files);
    }
}

void agree_on_outputs(const comm::Communicator& ranks,
                      const std::function<CommandFiles()>& files_seen) {
    comm::on_root(ranks, [&] { require_writable(files_seen()); });
}

}  // namespace civitas::io
