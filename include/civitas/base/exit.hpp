#pragma once
/// Exit codes of every program.

namespace civitas {

/// `stopped`: by a signal or a limit of time, with all that was learnt saved (EX_TEMPFAIL).
enum class Exit : int { done = 0, error = 1, usage = 2, stopped = 75 };

}  // namespace civitas
