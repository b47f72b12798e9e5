#include "selector.hpp"

#include "words.hpp"

namespace civitas::maps {
namespace {

/// What follows `name` in the selector, if it begins with it.
std::optional<std::string> condition_after(const std::string& selector, const std::string& name) {
    if (name.empty() || !same_word(selector.substr(0, name.size()), name)) return std::nullopt;
    if (selector.size() == name.size()) return "";
    if (selector[name.size()] != ':') return std::nullopt;
    return selector.substr(name.size() + 1);
}

std::optional<Selection> search(const std::string& selector, const std::vector<LayerName>& layers,
                                std::string LayerName::*name) {
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (const auto where = condition_after(selector, layers[i].*name))
            return Selection{i, *where};
    return std::nullopt;
}

}  // namespace

std::optional<Selection> select_layer(const std::string& selector,
                                      const std::vector<LayerName>& layers) {
    if (auto found = search(selector, layers, &LayerName::layer)) return found;
    return search(selector, layers, &LayerName::file_stem);
}

bool names_file(const std::string& selector, const std::string& file_stem) {
    return condition_after(selector, file_stem).has_value();
}

}  // namespace civitas::maps
