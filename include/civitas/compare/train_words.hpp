#pragma once
/// Words of a command line of `civitas compare`, which are those of `civitas train` and some of its
/// own. Pure.
#include <string>

namespace civitas::compare {

/// Throws UsageError where the command line gives an option that every strategy sets itself, or one
/// of what a run keeps. `words`: the command's name, and what follows it.
void refuse_own_choices(int count, const char* const* words);

/// Throws UsageError where the command line gives an option that only trainings have a use for, of
/// which predictions have none.
void refuse_of_trainings(int count, const char* const* words);

/// The options for `civitas train` among them, as a shell takes them: ` --tiles tiles.h5 --batch
/// 32`; all but the number of steps.
[[nodiscard]] std::string train_words(int count, const char* const* words);

}  // namespace civitas::compare
