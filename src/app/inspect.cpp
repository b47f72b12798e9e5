#include "inspect.hpp"

#include "commands.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/hdf5/hdf5.hpp"
#include "civitas/io/files.hpp"
#include "civitas/runs/progress.hpp"
#include "civitas/runs/run_folder.hpp"

#include <filesystem>
#include <iomanip>
#include <iostream>

namespace civitas::app {
namespace {

namespace fs = std::filesystem;

/// A line's worth of a text, and how long the whole is.
std::string shortened(const std::string& words) {
    constexpr std::size_t most = 200;
    if (words.size() <= most) return printable(words);
    return text(printable(words.substr(0, most)), "... (", words.size(), " characters)");
}

void show_facts(const std::map<std::string, std::string>& facts) {
    for (const auto& [key, value] : facts)
        std::cout << "  " << std::left << std::setw(22) << printable(key) << shortened(value)
                  << '\n';
}

bool show_checkpoint(const fs::path& file) {
    const auto contents = checkpoint::read_contents(file);
    std::cout << file.string() << ": checkpoint of step " << index(contents.header.step)
              << ", fingerprint " << hex(contents.fingerprint) << '\n';
    show_facts(contents.header.facts);
    show_facts(contents.header.notes);
    for (const auto& array : contents.arrays)
        std::cout << "  " << std::left << std::setw(56) << printable(array.name) + ' '
                  << join(array.shape, " x ") << '\n';
    const auto damaged = checkpoint::damaged_arrays(file);
    for (const auto& name : damaged) std::cout << "  DAMAGED " << printable(name) << '\n';
    std::cout << (damaged.empty() ? "  whole: every checksum is right\n" : "");
    return damaged.empty();
}

/// `whole`, or what is wrong.
std::string damage_of(const fs::path& file) {
    try {
        const auto damaged = checkpoint::damaged_arrays(file);
        return damaged.empty() ? "whole" : text("DAMAGED: ", damaged.size(), " arrays");
    } catch (const Error& e) {
        return text(comm::is_no_damage(e) ? "cannot be read: " : "DAMAGED: ", e.what());
    }
}

bool show_run(const fs::path& folder) {
    const auto files = checkpoint::list(runs::RunFolder{folder}.checkpoints());
    std::cout << folder.string() << ": run, " << files.size() << " checkpoints\n"
              << printable_lines(io::read_text_file(runs::RunFolder{folder}.configuration()));
    std::cout << runs::progress_of(runs::RunFolder{folder});
    if (fs::exists(runs::RunFolder{folder}.stopped()))
        std::cout << "stopped on request at step "
                  << printable_lines(io::read_text_file(runs::RunFolder{folder}.stopped()));
    bool whole = true;
    for (const auto& file : files) {
        const std::string damage = damage_of(file);
        // A training that goes on in the folder removes its older checkpoints.
        std::error_code unknown;
        const bool gone = damage != "whole" && !fs::exists(file, unknown) && !unknown;
        std::cout << "  " << file.filename().string() << ": "
                  << (gone ? "removed meanwhile by the training that goes on" : damage) << '\n';
        whole = whole && (gone || damage == "whole");
    }
    return whole;
}

bool show_file(const comm::Communicator& world, const fs::path& what) {
    // A checkpoint's seal is looked at before HDF5 sees the file: damaged, it may crash HDF5.
    const bool checkpoint_name = what.filename().string().starts_with("step-");
    if (checkpoint_name || checkpoint::is_sealed(what) || !hdf5::H5File::open(what).has("/tiles"))
        return show_checkpoint(what);
    show_store(world, what, std::cout);
    return true;
}

bool show(const fs::path& what) {
    std::error_code unreadable;
    if (fs::status(what, unreadable).type() == fs::file_type::not_found)
        throw UsageError(text("there is no file or folder ", what),
                         Hint{"a run folder, a tile store or a checkpoint"});
    if (unreadable || !fs::is_directory(what)) return show_file(comm::Communicator::self(), what);
    if (!fs::exists(runs::RunFolder{what}.configuration()))
        throw Error(text(what, " is no run folder: it has no config.ini"),
                    runs::runs_in(what, {"a run folder, a tile store or a checkpoint"}));
    return show_run(what);
}

std::string parse_inspect(Arguments arguments, const cli::ReadFile& read) {
    std::vector<std::string> files;
    cli::Options options("civitas inspect",
                         "civitas inspect FILE.h5, or a run folder\nSays what a tile store, "
                         "checkpoint or run holds, and whether it is whole.");
    options.positional("file", files, "tile store, checkpoint or run folder");
    options.parse(arguments.count, arguments.words, read);
    if (files.size() != 1)
        throw UsageError(text("expected one file or folder, got ", files.size()),
                         Hint{"civitas inspect tiles.h5"});
    return files.front();
}

}  // namespace

Exit inspect_command(const comm::Communicator& world, Arguments arguments) {
    const auto what = cli::agreed_options(
        world, [&](const auto& read) { return parse_inspect(arguments, read); });
    const bool whole = comm::agree(world, [&] { return world.is_root() ? show(what) : true; });
    return world.all(whole) ? Exit::done : Exit::error;
}

}  // namespace civitas::app
