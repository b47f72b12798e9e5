#include "civitas/net/kernel_choice.hpp"

#include "civitas/base/error.hpp"

#include <array>
#include <utility>

namespace civitas::net {
namespace {

/// The passes in the order of their letters.
constexpr std::array<std::pair<char, bool Passes::*>, 3> letters{
    {{'F', &Passes::forward}, {'B', &Passes::backward_input}, {'W', &Passes::backward_weights}}};

[[noreturn]] void refuse(std::string_view words) {
    throw UsageError(text("unknown kernels '", words, "'"),
                     Hint{"aten, fast, auto, or as fast,-generator.norm2,-discriminator.conv3:FW, "
                          "which leaves passes to ATen"});
}

/// Reads `FW`; nothing where it is no list of passes.
Passes parse_passes(std::string_view words, std::string_view all) {
    Passes passes;
    for (const char c : words) {
        bool known = false;
        for (const auto& [letter, pass] : letters) {
            if (letter != c) continue;
            passes.*pass = true;
            known = true;
        }
        if (!known) refuse(all);
    }
    if (passes == no_pass) refuse(all);
    return passes;
}

}  // namespace

std::string letters_of(Passes passes) {
    std::string words;
    for (const auto& [letter, pass] : letters)
        if (passes.*pass) words += letter;
    return words;
}

KernelChoice KernelChoice::parse(std::string_view words) {
    if (words == "aten") return {};
    constexpr std::string_view first = "fast";
    if (!words.starts_with(first)) refuse(words);
    KernelChoice choice(KernelSet::fast);
    std::string_view rest = words.substr(first.size());
    while (!rest.empty()) {
        if (!rest.starts_with(",-")) refuse(words);
        rest.remove_prefix(2);
        const std::string_view one = rest.substr(0, rest.find(','));
        rest.remove_prefix(one.size());
        const std::size_t colon = one.find(':');
        const std::string_view name = one.substr(0, colon);
        if (name.empty()) refuse(words);
        choice.leave(std::string(name), colon == std::string_view::npos
                                            ? all_passes
                                            : parse_passes(one.substr(colon + 1), words));
    }
    return choice;
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
