#pragma once
/// One owning wrapper for every C handle (MPI_Comm, hid_t, ncclComm_t, file descriptors).
#include <utility>

namespace civitas {

/// Move-only owner. Traits supply `type`, `null()` and `destroy(type) noexcept`.
template <class Traits>
class Handle {
public:
    using type = typename Traits::type;

    Handle() = default;
    explicit Handle(type raw) noexcept : raw_(raw) {}
    Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, Traits::null())) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (*this) Traits::destroy(raw_);
    }

    explicit operator bool() const noexcept { return raw_ != Traits::null(); }
    [[nodiscard]] type get() const noexcept { return raw_; }

private:
    type raw_ = Traits::null();
};

}  // namespace civitas
