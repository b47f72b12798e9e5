#pragma once
/// What runs tell, as TensorBoard reads it.
#include "civitas/base/log.hpp"
#include "civitas/run_report/run_report.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace civitas::run_report {

/// The bytes of an event file: scalars of all figures by step, those of test tiles under `test/`,
/// and the sheets of plans as images. Records are those of TensorFlow's TFRecord format (length,
/// data, each with a masked CRC-32C), events tensorflow.Event of its event.proto. A sheet
/// that cannot be read is left out, and the log says so.
[[nodiscard]] std::vector<std::byte> event_file(const RunContents& run, Log& log);

/// Writes it into a folder, which is made where there is none, in the place of an earlier one.
/// Returns its path: TensorBoard knows event files by a part of their name.
std::filesystem::path write_event_file(const RunContents& run, const std::filesystem::path& folder,
                                       Log& log);

}  // namespace civitas::run_report
