#include "transfer_file.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/trim.hpp"

#include <cpl_error.h>
#include <charconv>
#include <cmath>

namespace civitas::interlis {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 20;
constexpr std::size_t longest_word_shown = 40;

}  // namespace

TransferFile::TransferFile(const FileName& file)
    : label_(file.label), file_(VSIFOpenL(file.name.c_str(), "rb"), VSIFCloseL) {
    if (!file_)
        throw Error(text("cannot open ", label_), Hint{"check its path and who may read it"});
}

std::size_t TransferFile::read(std::span<char> buffer) {
    CPLErrorReset();
    const auto count = VSIFReadL(buffer.data(), 1, buffer.size(), file_.get());
    if (count < buffer.size() && CPLGetLastErrorType() >= CE_Failure)
        throw Error(text("cannot read all of ", label_, ": ", CPLGetLastErrorMsg()),
                    Hint{"the file is damaged or cut short: fetch it again"});
    return count;
}

std::string beginning_of(const FileName& file, std::size_t most) {
    std::string begin(most, '\0');
    begin.resize(TransferFile(file).read(begin));
    return begin;
}

bool LineReader::fill() {
    if (!left_.empty()) return true;
    left_ = {buffer_.data(), file_.read(buffer_)};
    return !left_.empty();
}

bool LineReader::next(std::string& line) {
    line.clear();
    bool any = false;
    while (fill()) {
        if (!any) ++number_;
        any = true;
        const auto end = left_.find('\n');
        line += left_.substr(0, end);
        if (line.size() > longest_line)
            throw Error(text("it has more than ", longest_line, " characters"));
        left_.remove_prefix(end == std::string_view::npos ? left_.size() : end + 1);
        if (end != std::string_view::npos) break;
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return any;
}

void refuse_damage(const FileName& file, std::int64_t line, const std::string& what) {
    throw Error(text("cannot read all of ", file.label, ": line ", line, ": ", what),
                Hint{"the file is damaged or cut short: fetch it again; --skip-damaged goes on "
                     "with what can be read"});
}

std::string break_off(const FileName& file, std::int64_t line, const std::string& what) {
    return text(file.label, " breaks off: line ", line, ": ", what, "; what it had before is read");
}

double metres_in(std::string_view said) {
    std::string_view word = trimmed(said);
    if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
    double metres = 0;
    const auto* end = word.data() + word.size();
    const auto [stop, problem] = std::from_chars(word.data(), end, metres);
    if (problem != std::errc{} || stop != end || !std::isfinite(metres))
        throw Error(text("'", word.substr(0, longest_word_shown), "' is no number of metres"));
    return metres;
}

}  // namespace civitas::interlis
