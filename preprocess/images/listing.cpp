#include "listing.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/hash.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/io/files.hpp"
#include "image_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

namespace civitas::images {
namespace {

namespace fs = std::filesystem;

const char* const no_image = "files that are neither PNG nor JPEG by name";
const char* const layout = "FOLDER/cat/1.png, FOLDER/dog/2.jpg: a folder of images for each class";

/// A link to itself, or to where this user may not look, is none.
bool is_folder(const fs::directory_entry& entry) {
    std::error_code unknown;
    return entry.is_directory(unknown);
}
bool is_folder(const fs::path& name) {
    std::error_code unknown;
    return fs::is_directory(name, unknown);
}

bool is_hidden(const fs::path& name) { return name.filename().string().starts_with('.'); }

std::vector<std::string> folders_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : io::entries_of(folder))
        if (is_folder(entry) && !is_hidden(entry.path()))
            names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

/// A folder of classes, and what its images are for.
struct Part {
    fs::path within;  ///< the folder that is read; empty: it is that
    std::optional<data::Split> split;
};

/// Beside `train`, one of them.
constexpr std::array for_tests{"test", "val", "valid", "validation"};

/// A class may be called `train`; beside `train` and `test` there is none.
bool is_split(const fs::path& folder) {
    if (!is_folder(folder / "train")) return false;
    std::vector<std::string> tests, others;
    for (const auto& name : folders_in(folder)) {
        if (name == "train") continue;
        const bool known = std::find(for_tests.begin(), for_tests.end(), name) != for_tests.end();
        (known ? tests : others).push_back(name);
    }
    if (tests.size() > 1)
        throw Error(text(folder, " has ", tests[0], " and ", tests[1],
                         " beside train: one alone can hold the images for tests"),
                    Hint{"move the other elsewhere"});
    if (!tests.empty() && !others.empty())
        throw Error(text(folder, " has train and ", tests.front(),
                         ", which are a split, and beside them '", printable(others.front()), "'"),
                    Hint{"move it elsewhere; rename train if all of them are classes"});
    return others.empty();
}

std::vector<Part> parts_of(const fs::path& folder) {
    using data::Split;
    if (!is_split(folder)) return {{"", std::nullopt}};
    std::vector<Part> parts{{"train", Split::train}};
    for (const char* name : for_tests)
        if (parts.size() == 1 && is_folder(folder / name)) parts.push_back({name, Split::test});
    return parts;
}

data::Split split_by_name(const std::string& name, double test_share) {
    constexpr double all = 18446744073709551616.0;  // 2^64
    const auto hash = hash_of(std::as_bytes(std::span(name)), 0);
    return static_cast<double>(hash) / all < test_share ? data::Split::test : data::Split::train;
}

void require_folder(const fs::path& folder) {
    if (is_folder(folder)) return;
    throw UsageError(
        fs::exists(folder) ? text(folder, " is no folder") : text("there is no folder ", folder),
        Hint{layout});
}

void require_classes(const fs::path& folder, const std::set<std::string>& classes) {
    constexpr std::size_t most = std::size_t{1} << 16;
    if (classes.empty()) throw Error(text(folder, " holds no folder of a class"), Hint{layout});
    if (classes.size() == 1)
        throw Error(text(folder, " has one class alone, '", printable(*classes.begin()),
                         "': a classifier needs two or more"),
                    Hint{layout});
    if (classes.size() > most)
        throw Error(text(folder, " has ", classes.size(), " folders of classes, more than ", most),
                    Hint{layout});
}

/// Counts what lies beside the folders of classes.
void count_beside(const fs::path& folder, ImageList& list) {
    for (const auto& entry : io::entries_of(folder)) {
        if (is_folder(entry) || is_hidden(entry.path())) continue;
        ++list.left_out[is_image(entry.path()) ? "images in no folder of a class" : no_image];
    }
}

/// What images are added to the list as.
struct ClassOfPart {
    const fs::path& folder;  ///< that of the part
    const Part& part;
    std::uint16_t label;
    double test_share;
};

void add_image(const ClassOfPart& of, const fs::directory_entry& entry, ImageList& list) {
    const fs::path below = entry.path().lexically_relative(of.folder);
    const auto& split = of.part.split;
    list.names.push_back((of.part.within / below).string());
    list.facts.push_back({entry.file_size(), of.label,
                          split ? *split : split_by_name(below.string(), of.test_share)});
}

/// Adds the images of a class in a folder and those within it, in whatever order.
void add_images(const ClassOfPart& of, const fs::path& within, ImageList& list) {
    for (const auto& entry : io::entries_of(within)) {
        if (is_hidden(entry.path())) continue;
        std::error_code unknown;
        if (is_folder(entry) && entry.is_symlink())
            ++list.left_out["links to folders within classes"];
        else if (is_folder(entry))
            add_images(of, entry.path(), list);
        else if (entry.is_regular_file(unknown) && is_image(entry.path()))
            add_image(of, entry, list);
        else
            ++list.left_out[no_image];
    }
}

void add_class(const fs::path& folder, const Part& part, std::uint16_t label, double test_share,
               ImageList& list) {
    const fs::path of_part = folder / part.within, within = of_part / list.classes[label];
    if (is_folder(within)) add_images({of_part, part, label, test_share}, within, list);
}

void sort_by_name(ImageList& list) {
    std::vector<std::size_t> order(list.names.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {},
                      [&](std::size_t i) -> const std::string& { return list.names[i]; });
    ImageList sorted{list.classes, {}, {}, std::move(list.left_out)};
    for (const std::size_t i : order) {
        sorted.names.push_back(std::move(list.names[i]));
        sorted.facts.push_back(list.facts[i]);
    }
    list = std::move(sorted);
}

std::string joined(const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += name + '\0';
    return all;
}

std::vector<std::string> parted(std::string_view all) {
    std::vector<std::string> names;
    for (; !all.empty(); all.remove_prefix(names.back().size() + 1))
        names.emplace_back(all.substr(0, all.find('\0')));
    return names;
}

}  // namespace

ImageList list_images(const fs::path& folder, double test_share) {
    require_folder(folder);
    const auto parts = parts_of(folder);
    std::set<std::string> classes;
    for (const Part& part : parts)
        for (const std::string& name : folders_in(folder / part.within)) classes.insert(name);
    require_classes(folder, classes);
    ImageList list{{classes.begin(), classes.end()}, {}, {}, {}};
    for (const Part& part : parts) count_beside(folder / part.within, list);
    for (std::size_t c = 0; c < list.classes.size(); ++c) {
        const std::size_t before = list.names.size();
        for (const Part& part : parts)
            add_class(folder, part, static_cast<std::uint16_t>(c), test_share, list);
        if (list.names.size() == before)
            throw Error(text("the class '", printable(list.classes[c]), "' of ", folder,
                             " holds no PNG or JPEG file"),
                        Hint{"remove its folder, or put its images there"});
    }
    sort_by_name(list);
    return list;
}

ImageList share_list(const comm::Communicator& ranks, ImageList list) {
    list.classes = parted(ranks.broadcast(joined(list.classes)));
    list.names = parted(ranks.broadcast(joined(list.names)));
    list.facts = ranks.broadcast(std::move(list.facts));
    return list;
}

}  // namespace civitas::images
