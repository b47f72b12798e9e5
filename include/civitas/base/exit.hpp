#pragma once
/// How every program ends.

namespace civitas {

/// `stopped`: by a signal or a limit of time, with all that was learnt saved (EX_TEMPFAIL).
enum class Exit : int { done = 0, error = 1, usage = 2, stopped = 75 };

/// Ends the process as the last act of main(): what was printed is written, objects that live as
/// long as the process are not destroyed. libtorch would forget its thousands of operators one by
/// one, which is a third of the time of a command that does little else.
[[noreturn]] void end_process(int code);

}  // namespace civitas
