#pragma once
/// What runs tell, as TensorBoard reads it.
#include "civitas/run_report/run_report.hpp"

#include <cstddef>
#include <vector>

namespace civitas::run_report {

/// The bytes of an event file: scalars of all figures by step, those of test tiles under `test/`,
/// and the sheets of plans as images. Records are those of TensorFlow's TFRecord format (length,
/// data, each with a masked CRC-32C), events tensorflow.Event of its event.proto. Throws Error for
/// a sheet that cannot be read.
[[nodiscard]] std::vector<std::byte> event_file(const RunContents& run);

/// Its name: TensorBoard knows event files by a part of it. The same for one run.
[[nodiscard]] std::string event_file_name();

}  // namespace civitas::run_report
