#pragma once
/// Wishes as people say them. Pure.
#include "civitas/conditions/conditions.hpp"

#include <string>

namespace civitas::conditions {

/// Words of a command line; nothing is wished where both are empty.
struct WishWords {
    std::string cover = {};  ///< `0.25,0.15`: shares of buildings and roads
    std::string like = {};   ///< the name of a source, which may be without its ending
};
/// Throws UsageError, with a hint, for words that can be no wish of any conditions.
void check(const WishWords& words);

/// The wish, of a generator that learnt these conditions. Throws UsageError, with a hint, for
/// what it cannot be asked for. `file`: where the generator comes from.
[[nodiscard]] Wish wish_in(const WishWords& words, const Conditions& conditions,
                           const std::string& file);

/// What is to be said of a wish that is far from all that was learnt from; empty of others.
[[nodiscard]] std::string warning_of(const Wish& wish, const Conditions& conditions);

/// `cover 0.25,0.15`, `like old-town.gpkg`; `none`.
[[nodiscard]] std::string to_text(const Wish& wish, const Conditions& conditions);

}  // namespace civitas::conditions
