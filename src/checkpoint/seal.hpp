#pragma once
/// A seal behind the end of the HDF5 file: a hash of every byte that belongs to no array. HDF5 may
/// crash on damaged metadata, so nothing of it is read before the seal is found whole.
#include "layout.hpp"

namespace civitas::checkpoint {

enum class Seal { whole, broken, missing };

[[nodiscard]] std::uint64_t seal_bytes(const std::vector<ArrayInfo>& arrays);
/// Ends the file `end` bytes long with its seal. Offsets and shapes tell where the arrays are.
void add_seal(const std::filesystem::path& file, std::uint64_t end,
              const std::vector<ArrayInfo>& arrays);
[[nodiscard]] Seal check_seal(const std::filesystem::path& file);

}  // namespace civitas::checkpoint
