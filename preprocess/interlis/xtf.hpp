#pragma once
/// INTERLIS 2.4 (`.xtf`; INTERLIS 2.4 reference manual, chapter 4): of the model DMAV the class
/// Bodenbedeckung, by what its objects hold: a Bodenbedeckungsart, an Objektstatus, and surfaces.
#include "survey.hpp"
#include "transfer_file.hpp"

namespace civitas::interlis {

/// True when it begins as a transfer in the format of INTERLIS 2.4.
[[nodiscard]] bool is_interlis24(const FileName& file);

/// Throws Error for a file that is damaged (with the line, unless that is to be borne) or holds no
/// land cover. The file is streamed; what is held is its land cover.
[[nodiscard]] Survey read_xtf(const FileName& file, Reading reading);

}  // namespace civitas::interlis
