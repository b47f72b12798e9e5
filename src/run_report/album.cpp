#include "album.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/io/picture.hpp"
#include "civitas/report/page.hpp"

#include <cstdint>
#include <sstream>

namespace civitas::run_report {
namespace {

constexpr std::size_t most = 16;
constexpr int most_width = 800;

/// Shows the picture that the slider points at.
constexpr std::string_view script = R"(<script>
(function () {
  var album = document.currentScript.parentElement, slider = album.querySelector("input");
  var pictures = album.querySelectorAll("figure");
  function show() {
    pictures.forEach(function (p, i) { p.classList.toggle("shown", i === Number(slider.value)); });
  }
  album.classList.add("live");
  slider.hidden = !(pictures.length > 1);
  slider.addEventListener("input", show);
  show();
})();
</script>
)";

std::vector<std::filesystem::path> spread(const std::vector<std::filesystem::path>& all) {
    if (all.size() <= most) return all;
    std::vector<std::filesystem::path> some;
    for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
    return some;
}

/// A picture and its name, or why it cannot be shown.
std::string shown(const std::filesystem::path& file, const std::string& name) {
    try {
        return "<img alt=\"" + name + "\" src=\"data:image/png;base64," +
               base64(io::png_of(io::shrunk(io::read_png(file), most_width))) + "\"/><figcaption>" +
               name + "</figcaption>";
    } catch (const Error& e) {
        return "<figcaption>" + report::escaped(printable(e.what())) + "</figcaption>";
    }
}

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string words;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = i; k < i + 3; ++k)
            three =
                three << 8U | (k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[k]) : 0U);
        for (unsigned k = 0; k < 4; ++k) words += letters[three >> (18 - 6 * k) & 63U];
    }
    for (std::size_t k = 0; k < (3 - bytes.size() % 3) % 3; ++k) words[words.size() - 1 - k] = '=';
    return words;
}

std::string album(const std::vector<std::filesystem::path>& pictures) {
    const auto some = spread(pictures);
    std::ostringstream out;
    out << "<div class=\"album\"><input type=\"range\" min=\"0\" max=\"" << some.size() - 1
        << "\" value=\"" << some.size() - 1
        << "\" step=\"1\" aria-label=\"which sheet is shown\" hidden=\"\"/>\n";
    for (const auto& file : some) {
        const std::string name = report::escaped(file.stem().string());
        out << "<figure>" << shown(file, name) << "</figure>\n";
    }
    out << script << "</div>\n";
    return out.str();
}

}  // namespace civitas::run_report
