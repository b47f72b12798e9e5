#pragma once
/// The words that users write for the values of an enum.
#include "civitas/base/error.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace civitas {

template <class Value>
struct NamedValue {
    std::string_view name;
    Value value;
};

/// Throws UsageError that there is no `what` of this name, with those that there are as hint.
[[noreturn]] void refuse_name(std::string_view what, std::string_view name,
                              const std::vector<std::string_view>& known);

/// The value that is called so; see refuse_name() for a name that none has.
template <class Value, std::size_t count>
[[nodiscard]] Value value_named(std::string_view name, std::string_view what,
                                const std::array<NamedValue<Value>, count>& all) {
    std::vector<std::string_view> known;
    for (const auto& one : all) {
        if (one.name == name) return one.value;
        known.push_back(one.name);
    }
    refuse_name(what, name, known);
}

/// What a value is called; every value has a name.
template <class Value, std::size_t count>
[[nodiscard]] std::string_view name_of(Value value,
                                       const std::array<NamedValue<Value>, count>& all) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.value == value; });
    ensure(found != all.end(), "every value has a name");
    return found->name;
}

}  // namespace civitas
