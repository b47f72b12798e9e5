#include "library.hpp"

#include "civitas/base/unreadable.hpp"

#include <algorithm>
#include <string_view>

namespace civitas::hdf5 {
namespace {

/// The longest deflate can make a byte: what a chunk holds is bounded by what it takes.
constexpr std::uint64_t most_inflation = 1032;

#if H5_VERSION_GE(1, 12, 0)
using LinkInfo = H5L_info1_t;  // later ones have tokens in the place of addresses
constexpr auto link_info = H5Lget_info1;
#else
using LinkInfo = H5L_info_t;
constexpr auto link_info = H5Lget_info;
#endif

const char* kind_of(H5L_type_t type) {
    if (type == H5L_TYPE_SOFT) return "a soft link";
    return type == H5L_TYPE_EXTERNAL ? "a link to another file" : "a link of an unknown kind";
}

H5D_layout_t layout_of(const H5Id& list) {
    return check(H5Pget_layout(list.get()), "H5Pget_layout");
}

H5Id creation_of(const H5Id& dataset) {
    return owned(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist");
}

/// Whether a dataset that was not written holds its fill values and has no room yet.
bool is_unwritten(const H5Id& dataset) {
    return layout_of(creation_of(dataset)) == H5D_CONTIGUOUS &&
           H5Dget_offset(dataset.get()) == HADDR_UNDEF;
}

}  // namespace

bool is_chunked(const H5Id& dataset) { return layout_of(creation_of(dataset)) == H5D_CHUNKED; }

void H5File::Impl::require_own_data(const std::string& what, const ObjectFacts& facts) const {
    if (facts.data_elsewhere)
        throw Error(text(place(what), " keeps its data in another file, which is not read"),
                    Hint{"h5repack writes a file that holds everything itself"});
}

void H5File::Impl::require_safe(const std::string& object_name) const {
    for (std::size_t end = object_name.find('/', 1);; end = object_name.find('/', end + 1)) {
        const std::string part = object_name.substr(0, end);
        LinkInfo facts{};
        if (part == "/") return;
        if (link_info(id(), part.c_str(), &facts, H5P_DEFAULT) < 0) {
            static_cast<void>(take_error_stack());  // whoever opens it says that it is missing
            return;
        }
        if (facts.type != H5L_TYPE_HARD)
            throw Error(text(place(part), " is ", kind_of(facts.type),
                             ", and only what lies in the file itself is read"),
                        Hint{"h5repack does not follow links: write the file again with the data "
                             "in it"});
        if (sound) require_own_data(part, sound->require(facts.u.address));
        if (end == std::string::npos) return;
    }
}

bool H5File::has(const std::string& name) const {
    for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
        const std::string part = name.substr(0, end);
        const htri_t there = part == "/" ? 1 : H5Lexists(impl_->id(), part.c_str(), H5P_DEFAULT);
        if (there < 0)
            throw Error(text("cannot look for ", impl_->place(part), ": ", take_error_stack()),
                        Hint{"the file is damaged: copy or make it again"});
        if (there == 0) return false;
        impl_->require_safe(part);
        if (end == std::string::npos) return true;
    }
}

void H5File::Impl::require_plausible(const std::string& what, std::uint64_t bytes,
                                     const H5Id* dataset) const {
    if (!sound) return;  // a file being written
    if (bytes / (dataset != nullptr && is_chunked(*dataset) ? most_inflation : 1) <= sound->size())
        return;
    throw Error(
        text(place(what), " announces ", bytes, " bytes, but the whole file has ", sound->size()),
        Hint{"the file is damaged: copy or make it again"});
}

void H5File::Impl::require_room(const std::string& what, const H5Id& dataset,
                                std::uint64_t bytes) const {
    const std::uint64_t room = H5Dget_storage_size(dataset.get());
    if (!sound || room == bytes || (room == 0 && is_unwritten(dataset))) return;
    throw Error(text(place(what), " is of ", bytes, " bytes and has room for ", room),
                Hint{"the file is damaged: copy or make it again"});
}

void H5File::Impl::refuse_opened(const std::string& what, const char* kind) const {
    const std::string why = take_error_stack();
    if (is_of_system(why)) throw UnreadableError(text("cannot read ", place(what), ": ", why));
    if (what == "/" || H5Lexists(id(), what.c_str(), H5P_DEFAULT) > 0)
        throw Error(text("cannot read ", place(what), " as a ", kind, ": ", why),
                    Hint{"the file is damaged: copy or make it again"});
    static_cast<void>(take_error_stack());
    throw Error(text(place(what), ": there is no such ", kind));
}

H5Id H5File::Impl::dataset(const std::string& dataset_name) const {
    require_safe(dataset_name);
    const hid_t opened = H5Dopen2(id(), dataset_name.c_str(), H5P_DEFAULT);
    if (opened < 0) refuse_opened(dataset_name, "dataset");
    return H5Id(opened);
}

H5Id H5File::Impl::object(const std::string& object_name) const {
    require_safe(object_name);
    const hid_t opened = H5Oopen(id(), object_name.c_str(), H5P_DEFAULT);
    if (opened < 0) refuse_opened(object_name, "object");
    return H5Id(opened);
}

H5Id H5File::Impl::group(const std::string& group_name) const {
    require_safe(group_name);
    const hid_t opened = H5Gopen2(id(), group_name.c_str(), H5P_DEFAULT);
    if (opened < 0) refuse_opened(group_name, "group");
    return H5Id(opened);
}

}  // namespace civitas::hdf5
