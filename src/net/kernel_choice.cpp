#include "civitas/net/kernel_choice.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace civitas::net {
namespace {

/// The passes in the order of their letters.
constexpr std::array<std::pair<char, bool Passes::*>, 3> letters{
    {{'F', &Passes::forward}, {'B', &Passes::backward_input}, {'W', &Passes::backward_weights}}};

/// Reads `FW`; no pass where it is no list of passes.
Passes parse_passes(std::string_view words) {
    Passes passes;
    for (const char c : words) {
        const auto* known = std::find_if(letters.begin(), letters.end(),
                                         [&](const auto& one) { return one.first == c; });
        if (known == letters.end()) return no_pass;
        passes.*(known->second) = true;
    }
    return passes;
}

}  // namespace

std::string letters_of(Passes passes) {
    std::string words;
    for (const auto& [letter, pass] : letters)
        if (passes.*pass) words += letter;
    return words;
}

std::optional<KernelChoice> KernelChoice::read(std::string_view words) {
    if (words == "aten") return KernelChoice();
    constexpr std::string_view first = "fast", next = ",-";
    if (!words.starts_with(first)) return std::nullopt;
    KernelChoice choice(KernelSet::fast);
    words.remove_prefix(first.size());
    while (!words.empty()) {
        if (!words.starts_with(next)) return std::nullopt;
        words.remove_prefix(next.size());
        const std::string_view one = words.substr(0, words.find(','));
        words.remove_prefix(one.size());
        const std::size_t colon = one.find(':');
        const std::string_view name = one.substr(0, colon);
        const Passes passes =
            colon == std::string_view::npos ? all_passes : parse_passes(one.substr(colon + 1));
        if (name.empty() || passes == no_pass) return std::nullopt;
        choice.leave(std::string(name), passes);
    }
    return choice;
}

KernelChoice KernelChoice::parse(std::string_view words) {
    if (auto choice = read(words)) return std::move(*choice);
    throw UsageError(text("unknown kernels '", words, "'"),
                     Hint{"aten, fast, auto, or as fast,-generator.norm2,-discriminator.conv3:FW, "
                          "which leaves passes to ATen"});
}

Passes KernelChoice::ours(const std::string& layer) const {
    if (!is_fast()) return no_pass;
    const auto found = left_.find(layer);
    if (found == left_.end()) return all_passes;
    Passes rest;
    for (const auto& [letter, pass] : letters) rest.*pass = !(found->second.*pass);
    return rest;
}

KernelSet KernelChoice::adam() const {
    return left_.contains(std::string(adam_in_choice)) ? KernelSet::aten : kernels_;
}

void KernelChoice::leave(const std::string& layer, Passes to_aten) {
    Passes& left = left_[layer];
    for (const auto& [letter, pass] : letters) left.*pass = left.*pass || to_aten.*pass;
}

std::string to_string(const KernelChoice& choice) {
    std::string words = choice.is_fast() ? "fast" : "aten";
    for (const auto& [layer, passes] : choice.left()) {
        words += ",-" + layer;
        if (passes != all_passes) words += ':' + letters_of(passes);
    }
    return words;
}

KernelOptions parse_kernels(std::string_view words) {
    if (words == "auto") return {.choice = KernelChoice(KernelSet::fast), .automatic = true};
    return {.choice = KernelChoice::parse(words)};
}

}  // namespace civitas::net
