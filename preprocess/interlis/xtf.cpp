#include "xtf.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/base/trim.hpp"
#include "surface.hpp"

#include <expat.h>
#include <algorithm>
#include <exception>
#include <set>

namespace civitas::interlis {
namespace {

constexpr std::size_t block = std::size_t{1} << 16;
constexpr std::size_t longest_text = 4096, deepest = 64, most_topics = 8;
constexpr std::string_view namespace_of_24 = "http://www.interlis.ch/xtf/2.4";
constexpr char separator = ' ';  // of namespace and name; stands in no URI

std::string_view local(std::string_view name) {
    const auto space = name.rfind(separator);
    return space == std::string_view::npos ? name : name.substr(space + 1);
}

/// What Expat says where bytes are missing at the end: elements, a tag, a letter, a section.
bool is_of_an_early_end(XML_Error problem) {
    return problem == XML_ERROR_NO_ELEMENTS || problem == XML_ERROR_UNCLOSED_TOKEN ||
           problem == XML_ERROR_PARTIAL_CHAR || problem == XML_ERROR_UNCLOSED_CDATA_SECTION;
}

/// Land cover as its elements come by.
class Reader {
public:
    explicit Reader(Reading reading)
        : bear_damage_(reading.bear_damage), surfaces_(reading.arc_step) {
        survey_.layer = "Bodenbedeckung";
    }

    void begin(std::string_view name, const char** attributes) {
        if (++depth_ > deepest) throw Error("elements are nested too deep");
        held_.clear();
        if (object_ != 0) return geometry([&] { surfaces_.begin(local(name)); });
        for (auto a = attributes; *a != nullptr; a += 2) {
            if (local(a[0]) == "tid") return begin_object(local(name));
            if (local(a[0]) == "bid" && topics_.size() < most_topics) topics_.emplace(local(name));
        }
    }

    void characters(std::string_view more) {
        if (object_ == 0) return;
        // What is read is short; of long remarks nobody wants the rest.
        held_ += more.substr(0, longest_text - held_.size());
    }

    void end(std::string_view name) {
        if (object_ != 0 && depth_ == object_ + 1) take_value(local(name));
        if (object_ != 0 && depth_ > object_) geometry([&] { surfaces_.end(local(name), held_); });
        if (depth_ == object_) end_object();
        held_.clear();
        --depth_;
    }

    /// Nothing of the file is to come, as the words say.
    void break_off(std::string words) { survey_.broke_off = std::move(words); }

    Survey finish(const FileName& file) {
        if (!any_ && !survey_.broke_off.empty())
            throw Error(text(survey_.broke_off, ", and that is no land cover"),
                        Hint{"fetch the file again"});
        if (!any_)
            throw Error(text(file.label, " holds no land cover: no object of it has a ",
                             "Bodenbedeckungsart; its topics: ",
                             topics_.empty() ? "none" : join(topics_, ", ")),
                        Hint{"order the model DMAV_Bodenbedeckung of the official survey too"});
        return std::move(survey_);
    }

private:
    void begin_object(std::string_view name) {
        object_ = depth_;
        of_land_cover_ = name == survey_.layer;
        art_.reset();
        projected_ = damaged_ = false;
        surfaces_.drop();
    }

    void take_value(std::string_view name) {
        // XML Schema collapses the white space around names.
        if (name == "Bodenbedeckungsart") art_ = trimmed(held_);
        if (name == "Objektstatus") projected_ = trimmed(held_) == "projektiert";
    }

    /// Of an object whose geometry is damaged the rest is passed over, if that is to be borne, or
    /// if the object is of another class.
    template <class Take>
    void geometry(Take&& take) {
        if (damaged_) return;
        try {
            take();
        } catch (const Error&) {
            if (!bear_damage_ && of_land_cover_) throw;
            damaged_ = true;
            surfaces_.drop();
        }
    }

    void end_object() {
        object_ = 0;
        if (!art_) return;
        any_ = true;
        auto parts = surfaces_.take();
        if (damaged_) {
            ++survey_.damaged;
        } else if (projected_) {
            ++survey_.projected;
        } else if (parts.empty()) {
            survey_.areas.push_back({art_, nullptr});
        } else {
            for (auto& part : parts)
                survey_.areas.push_back({art_, std::make_unique<OGRPolygon>(std::move(part))});
        }
    }

    bool bear_damage_;
    Survey survey_;
    std::set<std::string> topics_;
    SurfaceBuilder surfaces_;
    std::string held_;
    std::size_t depth_ = 0, object_ = 0;  ///< object_: its depth; 0: none is open
    std::optional<std::string> art_;
    bool any_ = false, projected_ = false, damaged_ = false, of_land_cover_ = false;
};

/// Expat's parser. What its handlers throw waits until they have returned.
class Xml {
public:
    explicit Xml(Reader& reader)
        : reader_(reader), parser_(XML_ParserCreateNS(nullptr, separator), XML_ParserFree) {
        XML_SetUserData(parser_.get(), this);
        XML_SetElementHandler(
            parser_.get(),
            [](void* self, const char* name, const char** attributes) {
                of(self).guard([&](Reader& r) { r.begin(name, attributes); });
            },
            [](void* self, const char* name) { of(self).guard([&](Reader& r) { r.end(name); }); });
        XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* words, int count) {
            of(self).guard([&](Reader& r) {
                r.characters({words, static_cast<std::size_t>(count)});
            });
        });
        XML_SetStartDoctypeDeclHandler(
            parser_.get(), [](void* self, const char*, const char*, const char*, int) {
                of(self).guard([](Reader&) { throw Error("no transfer declares a DOCTYPE"); });
            });
    }

    /// Throws Error, without the place, for what is no XML or what the reader refuses.
    void parse(std::span<const char> bytes, bool last) {
        const auto result =
            XML_Parse(parser_.get(), bytes.data(), static_cast<int>(bytes.size()), last);
        if (failure_) std::rethrow_exception(failure_);
        if (result == XML_STATUS_OK) return;
        const auto problem = XML_GetErrorCode(parser_.get());
        if (last && is_of_an_early_end(problem))
            throw Error("the file ends too early, before </transfer>");
        throw Error(text("it is no whole XML: ", XML_ErrorString(problem)));
    }

    [[nodiscard]] std::int64_t line() const {
        return static_cast<std::int64_t>(XML_GetCurrentLineNumber(parser_.get()));
    }

private:
    static Xml& of(void* self) { return *static_cast<Xml*>(self); }

    template <class Take>
    void guard(Take&& take) {
        if (failure_) return;
        try {
            take(reader_);
        } catch (...) {
            failure_ = std::current_exception();
            XML_StopParser(parser_.get(), XML_FALSE);
        }
    }

    Reader& reader_;
    std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
    std::exception_ptr failure_;
};

}  // namespace

bool is_interlis24(const FileName& file) {
    return beginning_of(file, block).find(namespace_of_24) != std::string::npos;
}

Survey read_xtf(const FileName& file, Reading reading) {
    Reader reader(reading);
    Xml xml(reader);
    TransferFile bytes(file);
    std::vector<char> buffer(block);
    try {
        for (bool last = false; !last;) {
            const auto count = bytes.read(buffer);
            last = count < buffer.size();
            xml.parse(std::span(buffer).first(count), last);
        }
    } catch (const Error& error) {
        if (!reading.bear_damage) refuse_damage(file, xml.line(), error.what());
        reader.break_off(interlis::break_off(file, xml.line(), error.what()));
    }
    return reader.finish(file);
}

}  // namespace civitas::interlis
