#include "library.hpp"

namespace civitas::hdf5 {
namespace {

H5Id utf8_name() {
    H5Id list = owned(H5Pcreate(H5P_ATTRIBUTE_CREATE), "H5Pcreate");
    check(H5Pset_char_encoding(list.get(), H5T_CSET_UTF8), "H5Pset_char_encoding");
    return list;
}

void put(hid_t object, const std::string& name, hid_t type, const void* value) {
    if (check(H5Aexists(object, name.c_str()), "H5Aexists") > 0)
        check(H5Adelete(object, name.c_str()), "H5Adelete");
    const H5Id space = owned(H5Screate(H5S_SCALAR), "H5Screate");
    const H5Id attribute =
        owned(H5Acreate2(object, name.c_str(), type, space.get(), utf8_name().get(), H5P_DEFAULT),
              "H5Acreate2");
    check(H5Awrite(attribute.get(), type, value), "H5Awrite");
}

struct Attribute {
    H5Id id;
    H5Id type;
    H5T_class_t kind;
};

Attribute find(const H5Id& object, const std::string& name, const std::string& place) {
    if (check(H5Aexists(object.get(), name.c_str()), "H5Aexists") == 0)
        throw Error(text(place, ": there is no attribute '", name, "'"));
    H5Id id = owned(H5Aopen(object.get(), name.c_str(), H5P_DEFAULT), "H5Aopen");
    const H5Id space = owned(H5Aget_space(id.get()), "H5Aget_space");
    if (check(H5Sget_simple_extent_npoints(space.get()), "H5Sget_simple_extent_npoints") != 1)
        throw Error(text(place, ": attribute '", name, "' is not one value"));
    H5Id type = owned(H5Aget_type(id.get()), "H5Aget_type");
    const H5T_class_t kind = check(H5Tget_class(type.get()), "H5Tget_class");
    if ((kind == H5T_INTEGER || kind == H5T_FLOAT) && !is_plain_number(type.get()))
        throw Error(text(place, ": attribute '", name, "' is a number of a form unknown here"),
                    Hint{"write it as a whole number of 1, 2, 4 or 8 bytes, or a float of 4 or 8"});
    return {std::move(id), std::move(type), kind};
}

[[noreturn]] void refuse(const std::string& place, const std::string& name, const char* wanted) {
    throw Error(text(place, ": attribute '", name, "' is not ", wanted));
}

}  // namespace

void H5File::set_attribute(const std::string& object, const std::string& name, double value) {
    put(impl_->object(object).get(), name, native(ElementType::f64), &value);
}

void H5File::set_attribute(const std::string& object, const std::string& name, std::int64_t value) {
    put(impl_->object(object).get(), name, native(ElementType::i64), &value);
}

void H5File::set_attribute(const std::string& object, const std::string& name,
                           std::uint64_t value) {
    put(impl_->object(object).get(), name, native(ElementType::u64), &value);
}

void H5File::set_attribute(const std::string& object, const std::string& name,
                           const std::string& value) {
    put(impl_->object(object).get(), name, text_type(value.size()).get(), value.c_str());
}

double H5File::number_attribute(const std::string& object, const std::string& name) const {
    const Attribute a = find(impl_->object(object), name, impl_->place(object));
    if (a.kind != H5T_FLOAT && a.kind != H5T_INTEGER)
        refuse(impl_->place(object), name, "a number");
    double value = 0;
    check(H5Aread(a.id.get(), native(ElementType::f64), &value), "H5Aread");
    return value;
}

std::int64_t H5File::integer_attribute(const std::string& object, const std::string& name) const {
    const Attribute a = find(impl_->object(object), name, impl_->place(object));
    if (a.kind != H5T_INTEGER) refuse(impl_->place(object), name, "a whole number");
    std::int64_t value = 0;
    check(H5Aread(a.id.get(), native(ElementType::i64), &value), "H5Aread");
    return value;
}

std::uint64_t H5File::count_attribute(const std::string& object, const std::string& name) const {
    const Attribute a = find(impl_->object(object), name, impl_->place(object));
    if (a.kind != H5T_INTEGER) refuse(impl_->place(object), name, "a whole number");
    std::uint64_t value = 0;
    check(H5Aread(a.id.get(), native(ElementType::u64), &value), "H5Aread");
    return value;
}

bool H5File::is_count_attribute(const std::string& object, const std::string& name) const {
    const Attribute a = find(impl_->object(object), name, impl_->place(object));
    return a.kind == H5T_INTEGER && H5Tget_sign(a.type.get()) == H5T_SGN_NONE;
}

std::string H5File::text_attribute(const std::string& object, const std::string& name) const {
    const Attribute a = find(impl_->object(object), name, impl_->place(object));
    if (a.kind != H5T_STRING) refuse(impl_->place(object), name, "a text");
    impl_->require_plausible(object + name, H5Tget_size(a.type.get()));
    return text_value(a.type.get(), text(impl_->place(object), ": attribute '", name, '\''),
                      [&](void* out) { check(H5Aread(a.id.get(), a.type.get(), out), "H5Aread"); });
}

bool H5File::is_text_attribute(const std::string& object, const std::string& name) const {
    return find(impl_->object(object), name, impl_->place(object)).kind == H5T_STRING;
}

bool H5File::has_attribute(const std::string& object, const std::string& name) const {
    return check(H5Aexists(impl_->object(object).get(), name.c_str()), "H5Aexists") > 0;
}

std::vector<std::string> H5File::attributes(const std::string& object) const {
    const auto keep = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->emplace_back(name);
        return 0;
    };
    std::vector<std::string> names;
    check(
        H5Aiterate2(impl_->object(object).get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, keep, &names),
        "H5Aiterate2");
    return names;
}

}  // namespace civitas::hdf5
