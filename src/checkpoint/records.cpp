#include "records.hpp"

#include "civitas/base/error.hpp"

#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace civitas::checkpoint {
namespace {

// Both directions make the same calls, so what is written and what is read cannot differ.
class Writer {
public:
    void bytes(std::span<std::byte> value) {
        record_.insert(record_.end(), value.begin(), value.end());
    }
    template <class Items>
    void size(Items& items) {
        std::size_t count = items.size();
        bytes(std::as_writable_bytes(std::span(&count, 1)));
    }
    [[nodiscard]] Record take() { return std::move(record_); }

private:
    Record record_;
};

class Reader {
public:
    explicit Reader(std::span<const std::byte> record) : left_(record) {}
    void bytes(std::span<std::byte> value) {
        ensure(value.size() <= left_.size(), "a record is whole");
        if (!value.empty()) std::memcpy(value.data(), left_.data(), value.size());
        left_ = left_.subspan(value.size());
    }
    template <class Items>
    void size(Items& items) {
        std::size_t count = 0;
        bytes(std::as_writable_bytes(std::span(&count, 1)));
        ensure(count <= left_.size(), "every item of a record takes a byte");
        items.resize(count);
    }
    [[nodiscard]] bool done() const { return left_.empty(); }

private:
    std::span<const std::byte> left_;
};

template <class Archive, class T>
requires std::is_trivially_copyable_v<T>
void pass(Archive& archive, T& value) {
    archive.bytes(std::as_writable_bytes(std::span(&value, 1)));
}

template <class Archive>
void pass(Archive& archive, std::string& letters) {
    archive.size(letters);
    archive.bytes(std::as_writable_bytes(std::span(letters)));
}

template <class Archive, class T>
void pass(Archive& archive, std::vector<T>& items) {
    archive.size(items);
    for (T& item : items) pass(archive, item);
}

using Texts = std::map<std::string, std::string>;

template <class Archive>
void pass(Archive& archive, std::pair<std::string, std::string>& text) {
    pass(archive, text.first);
    pass(archive, text.second);
}

template <class Archive>
void pass(Archive& archive, Texts& texts) {
    std::vector<std::pair<std::string, std::string>> items(texts.begin(), texts.end());
    pass(archive, items);
    texts = Texts(items.begin(), items.end());
}

template <class Archive>
void pass(Archive& archive, ArrayInfo& array) {
    pass(archive, array.name);
    pass(archive, array.shape);
    pass(archive, array.type);
    pass(archive, array.offset);
    pass(archive, array.checksum);
}

template <class Archive>
void pass(Archive& archive, Part& part) {
    pass(archive, part.array);
    pass(archive, part.box);
    pass(archive, part.writes);
}

template <class Archive>
void pass(Archive& archive, Contents& contents) {
    pass(archive, contents.header.step);
    pass(archive, contents.header.facts);
    pass(archive, contents.header.notes);
    pass(archive, contents.header.configuration);
    pass(archive, contents.arrays);
    pass(archive, contents.fingerprint);
}

template <class Item>
Record record_of(Item item) {
    Writer writer;
    pass(writer, item);
    return writer.take();
}

template <class Item>
Item item_from(const Record& record) {
    Item item;
    Reader reader(record);
    if (record.empty()) return item;
    pass(reader, item);
    ensure(reader.done(), "a record is one item");
    return item;
}

}  // namespace

Record packed(const std::vector<ArrayInfo>& arrays) { return record_of(arrays); }
Record packed(const std::vector<Part>& parts) { return record_of(parts); }
Record packed(const Contents& contents) { return record_of(contents); }
std::vector<ArrayInfo> arrays_from(const Record& record) {
    return item_from<std::vector<ArrayInfo>>(record);
}
std::vector<Part> parts_from(const Record& record) { return item_from<std::vector<Part>>(record); }
Contents contents_from(const Record& record) { return item_from<Contents>(record); }

}  // namespace civitas::checkpoint
