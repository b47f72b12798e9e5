#include "library.hpp"

#include <algorithm>
#include <array>

namespace civitas::hdf5 {

hid_t native(ElementType type) {
    switch (type) {
        case ElementType::u8: return H5T_NATIVE_UINT8;
        case ElementType::u16: return H5T_NATIVE_UINT16;
        case ElementType::i32: return H5T_NATIVE_INT32;
        case ElementType::i64: return H5T_NATIVE_INT64;
        case ElementType::u64: return H5T_NATIVE_UINT64;
        case ElementType::f32: return H5T_NATIVE_FLOAT;
        case ElementType::f64: return H5T_NATIVE_DOUBLE;
    }
    throw Error("unknown element type");
}

const char* to_string(ElementType type) {
    constexpr std::array names{"u8", "u16", "i32", "i64", "u64", "f32", "f64"};
    return names.at(static_cast<std::size_t>(type));
}

std::size_t bytes_of(ElementType type) { return H5Tget_size(native(type)); }

H5Id text_type(std::size_t length) {
    H5Id type = owned(H5Tcopy(H5T_C_S1), "H5Tcopy");
    check(H5Tset_size(type.get(), std::max<std::size_t>(length, 1)), "H5Tset_size");
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset");
    check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "H5Tset_strpad");
    return type;
}

void require_fixed_length(hid_t type, const std::string& place) {
    if (check(H5Tis_variable_str(type), "H5Tis_variable_str") > 0)
        throw Error(text(place, " is a text of variable length, which HDF5 cannot read safely"),
                    Hint{"write it with a fixed length; with h5py: numpy.bytes_(\"text\")"});
}

std::string without_padding(std::string value) {
    value.resize(value.find_last_not_of('\0') + 1);
    return value;
}

bool is_plain_number(hid_t type) {
    const std::array plain{H5T_STD_I8LE,   H5T_STD_I16LE,  H5T_STD_I32LE,  H5T_STD_I64LE,
                           H5T_STD_U8LE,   H5T_STD_U16LE,  H5T_STD_U32LE,  H5T_STD_U64LE,
                           H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_I8BE,   H5T_STD_I16BE,
                           H5T_STD_I32BE,  H5T_STD_I64BE,  H5T_STD_U8BE,   H5T_STD_U16BE,
                           H5T_STD_U32BE,  H5T_STD_U64BE,  H5T_IEEE_F32BE, H5T_IEEE_F64BE};
    return std::any_of(plain.begin(), plain.end(),
                       [&](hid_t known) { return check(H5Tequal(type, known), "H5Tequal") > 0; });
}

std::optional<ElementType> known_type(hid_t type) {
    if (!is_plain_number(type)) return std::nullopt;
    const auto size = H5Tget_size(type);
    const H5T_class_t kind = H5Tget_class(type);
    const bool is_signed = kind == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
    for (const ElementType t :
         {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64, ElementType::u64,
          ElementType::f32, ElementType::f64}) {
        const bool same_sign =
            kind == H5T_FLOAT || is_signed == (H5Tget_sign(native(t)) == H5T_SGN_2);
        if (H5Tget_class(native(t)) == kind && bytes_of(t) == size && same_sign) return t;
    }
    return std::nullopt;
}

}  // namespace civitas::hdf5
