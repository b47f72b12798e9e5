#include "store_header.hpp"

#include "civitas/base/error.hpp"

#include <cstring>
#include <type_traits>

namespace civitas::data {
namespace {

/// Puts values one after the other.
class Packer {
public:
    template <class T>
    requires std::is_arithmetic_v<T>
    void operator()(const T& value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void operator()(const std::string& value) {
        (*this)(value.size());
        bytes_ += value;
    }
    template <class Value>
    void operator()(const std::map<std::string, Value>& values) {
        (*this)(values.size());
        for (const auto& [name, value] : values) {
            (*this)(name);
            (*this)(value);
        }
    }
    void operator()(const std::vector<std::string>& texts) {
        (*this)(texts.size());
        for (const std::string& value : texts) (*this)(value);
    }
    void operator()(const std::vector<SourceFile>& sources) {
        (*this)(sources.size());
        for (const SourceFile& source : sources) {
            (*this)(source.name);
            (*this)(source.hash);
        }
    }
    [[nodiscard]] std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

/// Takes them out again.
class Unpacker {
public:
    explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}

    template <class T>
    requires std::is_arithmetic_v<T>
    void operator()(T& value) {
        ensure(at_ + sizeof value <= bytes_.size(), "a header comes whole");
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
    }
    void operator()(std::string& value) {
        const auto size = get<std::size_t>();
        ensure(size <= bytes_.size() - at_, "a header comes whole");
        value = bytes_.substr(at_, size);
        at_ += size;
    }
    template <class Value>
    void operator()(std::map<std::string, Value>& values) {
        for (auto left = get<std::size_t>(); left > 0; --left) {
            const auto name = get<std::string>();
            (*this)(values[name]);
        }
    }
    void operator()(std::vector<std::string>& texts) {
        for (auto left = get<std::size_t>(); left > 0; --left) texts.push_back(get<std::string>());
    }
    void operator()(std::vector<SourceFile>& sources) {
        for (auto left = get<std::size_t>(); left > 0; --left) {
            SourceFile source;
            (*this)(source.name);
            (*this)(source.hash);
            sources.push_back(std::move(source));
        }
    }

    [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

private:
    template <class T>
    T get() {
        T value{};
        (*this)(value);
        return value;
    }

    const std::string& bytes_;
    std::size_t at_ = 0;
};

/// The members that every store has, in one order for both ways.
template <class Header, class Visit>
void visit_members(Header& h, Visit& visit) {
    visit(h.crs_epsg);
    visit(h.crs_wkt);
    visit(h.tile_metres);
    visit(h.pixels);
    visit(h.numbers);
    visit(h.counts);
    visit(h.texts);
    visit(h.dropped);
    visit(h.sources);
    visit(h.licence);
    visit(h.command);
}

/// Members that came later. Checksums of stores that have neither stay as they were.
template <class Header, class Visit>
void visit_later_members(Header& h, Visit& visit) {
    auto content = static_cast<std::uint8_t>(h.content);
    visit(content);
    if constexpr (!std::is_const_v<Header>) h.content = static_cast<Content>(content);
    visit(h.label_names);
}

}  // namespace

std::string to_bytes(const StoreHeader& header) {
    Packer packer;
    visit_members(header, packer);
    if (header.content != Content::classes || !header.label_names.empty())
        visit_later_members(header, packer);
    return packer.take();
}

StoreHeader header_from_bytes(const std::string& bytes) {
    StoreHeader header;
    Unpacker unpacker(bytes);
    visit_members(header, unpacker);
    if (!unpacker.at_end()) visit_later_members(header, unpacker);
    return header;
}

}  // namespace civitas::data
