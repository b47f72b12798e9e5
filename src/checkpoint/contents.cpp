#include "contents.hpp"

#include "seal.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/base/shell.hpp"
#include "civitas/base/unreadable.hpp"
#include "civitas/base/version.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/io/files.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace civitas::checkpoint {
namespace {

const std::string format = "civitas checkpoint 1";
const std::string note_prefix = "note_";
/// Attributes end at 64 kB, all of them together lie in one header: longer notes are datasets.
const std::string long_notes = "/notes";
constexpr std::array reserved{"format", "program", "step"};

const std::string config_name = "/config";
const std::string names_name = "/checksums/names";
const std::string sums_name = "/checksums/arrays";
const std::string fingerprint_name = "/checksums/fingerprint";

bool is_note(const std::string& name) { return name.starts_with(note_prefix); }
bool is_reserved(const std::string& name) {
    return std::find(reserved.begin(), reserved.end(), name) != reserved.end();
}

hdf5::Extent extent_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

void write_header(hdf5::H5File& file, const Header& header) {
    file.set_attribute("/", "format", format);
    file.set_attribute("/", "program", std::string(version()));
    file.set_attribute("/", "step", index(header.step));
    for (const auto& [name, value] : header.facts) {
        ensure(!is_reserved(name) && !is_note(name), "a fact's name is its own");
        file.set_attribute("/", name, value);
    }
    for (const auto& [name, value] : header.notes)
        if (value.size() <= longest_fact)
            file.set_attribute("/", note_prefix + name, value);
        else
            file.write_text(text(long_notes, '/', name), value);
    file.write_text(config_name, header.configuration);
}

Header read_header(const hdf5::H5File& file) {
    Header header;
    header.step = StepIndex{file.integer_attribute("/", "step")};
    for (const std::string& name : file.attributes("/")) {
        if (is_reserved(name)) continue;
        const std::string value = file.text_attribute("/", name);
        if (is_note(name))
            header.notes[name.substr(note_prefix.size())] = value;
        else
            header.facts[name] = value;
    }
    if (file.has(long_notes))
        for (const std::string& name : file.children(long_notes))
            header.notes[name] = file.read_text(text(long_notes, '/', name));
    header.configuration = file.read_text(config_name);
    return header;
}

void create_numbers(hdf5::H5File& file, const std::string& name, std::size_t count) {
    file.create_dataset({.name = name, .type = hdf5::ElementType::u64, .shape = {count}});
}

// A description that has its seal may still be anybody's work: nothing in it is taken for granted.
void require(bool ok, const std::string& problem) {
    if (!ok) throw Error(problem);
}

// Where an array without elements lies does not matter; any other lies within the file.
void require_inside(const ArrayInfo& array, std::uint64_t file_bytes) {
    const auto fits = [&](std::uint64_t bytes) { return bytes <= file_bytes - array.offset; };
    require(array.offset <= file_bytes, text("array ", array.name, " begins behind the end"));
    std::uint64_t bytes = bytes_of(array.type);
    for (const std::int64_t extent : array.shape) {
        const auto n = static_cast<std::uint64_t>(extent);
        require(
            extent >= 0 && bytes <= file_bytes / n && fits(bytes * n),
            text("array ", array.name, " ", to_string(array.shape), " is larger than the file"));
        bytes *= n;
    }
}

bool has_elements(const Shape& shape) {
    return std::find(shape.begin(), shape.end(), 0) == shape.end();
}

ArrayInfo read_array(const hdf5::H5File& file, const std::string& name, std::uint64_t file_bytes) {
    const hdf5::Extent shape = file.shape(name);
    ArrayInfo array{name, Shape(shape.begin(), shape.end()), file.type(name), 0, 0};
    require(array.type == hdf5::ElementType::f32 || array.type == hdf5::ElementType::f64,
            text("array ", name, " is neither of fp32 nor of fp64"));
    if (!has_elements(array.shape)) return array;
    array.offset = file.offset(name);
    require_inside(array, file_bytes);
    return array;
}

std::vector<ArrayInfo> read_arrays(const hdf5::H5File& file, std::uint64_t file_bytes) {
    const auto sums = file.read_all<std::uint64_t>(sums_name);
    std::istringstream names(file.read_text(names_name));
    std::vector<ArrayInfo> arrays;
    for (std::string name; names >> name;) {
        require(name[0] == '/' && (arrays.empty() || arrays.back().name < name),
                "its list of arrays is not in order");
        arrays.push_back(read_array(file, name, file_bytes));
    }
    require(arrays.size() == sums.size(),
            text("it lists ", arrays.size(), " arrays and ", sums.size(), " checksums"));
    for (std::size_t i = 0; i < sums.size(); ++i) arrays[i].checksum = sums[i];
    return arrays;
}

Contents read_all_of(const hdf5::H5File& file, std::uint64_t file_bytes) {
    Contents contents;
    contents.header = read_header(file);
    require(index(contents.header.step) >= 0, "its step is negative");
    contents.arrays = read_arrays(file, file_bytes);
    const auto fingerprint = file.read_all<std::uint64_t>(fingerprint_name);
    require(fingerprint.size() == 1, text("it has ", fingerprint.size(), " fingerprints"));
    contents.fingerprint = fingerprint[0];
    return contents;
}

// Not where HDF5 cannot read what a file says of itself.
bool is_ours(const hdf5::H5File& file) {
    try {
        return file.has_attribute("/", "format") && file.text_attribute("/", "format") == format;
    } catch (const UnreadableError&) {
        throw;
    } catch (const Error&) {
        return false;
    }
}

// What is no file has none; of what cannot be looked at, opening it tells why.
Seal seal_of(const std::filesystem::path& name) {
    std::error_code unknown;
    const auto type = std::filesystem::status(name, unknown).type();
    using Type = std::filesystem::file_type;
    return type == Type::regular || type == Type::none ? check_seal(name) : Seal::missing;
}

}  // namespace

std::uint64_t most_bytes(const Header& header, const std::vector<ArrayInfo>& arrays) {
    constexpr std::uint64_t slack = std::uint64_t{1} << 18, per_item = std::uint64_t{1} << 13;
    std::uint64_t bytes = slack + header.configuration.size();
    for (const auto* pairs : {&header.facts, &header.notes})
        for (const auto& [name, value] : *pairs) bytes += per_item + name.size() + value.size();
    for (const ArrayInfo& array : arrays)
        bytes += static_cast<std::uint64_t>(elements_of(array.shape)) * bytes_of(array.type) +
                 per_item + 4 * array.name.size();
    return bytes;
}

Places write_frame(const std::filesystem::path& name, const Header& header,
                   const std::vector<ArrayInfo>& arrays, std::uint64_t bytes) {
    ensure(!arrays.empty(), "a checkpoint has arrays");
    // In place: a file of this process alone would get its name now, without the values.
    hdf5::H5File file = hdf5::H5File::create(name, comm::Communicator::self(), bytes);
    write_header(file, header);
    std::string names;
    Places places;
    for (const ArrayInfo& array : arrays) {
        file.create_dataset(
            {.name = array.name, .type = array.type, .shape = extent_of(array.shape)});
        places.arrays.push_back(elements_of(array.shape) > 0 ? file.offset(array.name) : 0);
        names += array.name + "\n";
    }
    file.write_text(names_name, names);
    create_numbers(file, sums_name, arrays.size());
    create_numbers(file, fingerprint_name, 1);
    places.checksums = file.offset(sums_name);
    places.fingerprint = file.offset(fingerprint_name);
    file.close();
    return places;
}

bool is_sealed(const std::filesystem::path& name) { return seal_of(name) != Seal::missing; }

// Without a seal HDF5 tells what else is wrong: that the file is missing, foreign or cut short.
Contents read_contents(const std::filesystem::path& name) {
    const Seal seal = seal_of(name);
    const Hint hint{"use an older checkpoint, or copy this one again"};
    if (seal == Seal::broken)
        throw Error(text(name, " is damaged: its description is not what was written"), hint);
    const hdf5::H5File file = hdf5::H5File::open(name);
    if (!is_ours(file))
        throw Error(text(name, " is not a checkpoint of this program"),
                    Hint{text("h5dump -n ", shell_quoted(name.string()), " lists what it holds")});
    if (seal == Seal::missing) throw Error(text(name, " is damaged: its end is missing"), hint);
    try {
        return read_all_of(file, io::RawFile::open_to_read(name).size());
    } catch (const std::exception& e) {
        if (comm::is_no_damage(e)) throw;
        throw Error(
            text(name, " is not a checkpoint as this program writes them: ", printable(e.what())),
            hint);
    }
}

}  // namespace civitas::checkpoint
