#pragma once
/// Files that the system does not let be read, which says nothing of what they hold.
#include "civitas/base/error.hpp"

namespace civitas {

/// A file that is there and cannot be read now: too many open files, no permission, a disk or a
/// file server that fails.
class UnreadableError : public Error {
public:
    using Error::Error;
};

/// An UnreadableError that every rank of the job throws together.
class AgreedUnreadableError : public AgreedError {
public:
    explicit AgreedUnreadableError(const std::string& complete_message)
        : AgreedError(complete_message, false) {}
};

}  // namespace civitas
