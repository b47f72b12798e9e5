#pragma once
/// What became of the inputs of a tile store, as one page of HTML.
#include "account.hpp"
#include "civitas/data/tile_store.hpp"

#include <cstddef>
#include <span>

namespace civitas::map_report {

/// How many tiles of a store each of its sources has, or each class where its tiles have labels, to
/// train and to test.
using Kept = std::vector<std::array<std::int64_t, 2>>;

/// The page of a store: what it holds, a map of what became of the tiles looked at, their shares of
/// buildings and roads, what was left out, and a sheet of some tiles (a PNG file; none where it
/// is empty). Its size is bounded, however many tiles, sources, classes and reasons there are.
[[nodiscard]] std::string to_page(const data::StoreHeader& header, const Account& account,
                                  const Kept& kept, std::span<const std::byte> sheet_png);

}  // namespace civitas::map_report
