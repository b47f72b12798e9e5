#pragma once
/// INTERLIS 1 (`.itf`): lines that begin with a keyword of four letters (INTERLIS 1 reference
/// manual, chapter 3). Of the model DM.01-AV-CH and its extensions the table of land cover is read:
/// its areas have a point inside each, the lines between them stand in a table of their own.
#include "survey.hpp"
#include "transfer_file.hpp"

namespace civitas::interlis {

/// The model that land cover follows (`DM01AVCH24LV95D`). Throws Error as read_itf for damage
/// before it.
[[nodiscard]] std::string model_of_itf(const FileName& file, bool bear_damage);

/// Throws Error for a file that is damaged (with the line, unless that is to be borne) or holds no
/// land cover.
[[nodiscard]] Survey read_itf(const FileName& file, Reading reading);

}  // namespace civitas::interlis
