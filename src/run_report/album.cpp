#include "album.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/io/picture.hpp"
#include "civitas/report/embedded.hpp"
#include "civitas/report/page.hpp"

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
        return report::embedded("image/png", io::png_of(io::shrunk(io::read_png(file), most_width)),
                                name) +
               "<figcaption>" + report::escaped(name) + "</figcaption>";
    } catch (const Error& e) {
        return "<figcaption>" + report::escaped(printable(e.what())) + "</figcaption>";
    }
}

}  // namespace

std::string album(const std::vector<std::filesystem::path>& pictures) {
    const auto some = spread(pictures);
    std::ostringstream out;
    out << "<div class=\"album\"><input type=\"range\" min=\"0\" max=\"" << some.size() - 1
        << "\" value=\"" << some.size() - 1
        << "\" step=\"1\" aria-label=\"which sheet is shown\" hidden=\"\"/>\n";
    for (const auto& file : some)
        out << "<figure>" << shown(file, file.stem().string()) << "</figure>\n";
    out << script << "</div>\n";
    return out.str();
}

}  // namespace civitas::run_report
