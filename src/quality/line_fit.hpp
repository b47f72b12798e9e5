#pragma once
/// A straight line through points, by least squares.

namespace civitas::quality {

class LineFit {
public:
    void add(double x, double y) {
        n_ += 1;
        x_ += x;
        y_ += y;
        xx_ += x * x;
        xy_ += x * y;
        yy_ += y * y;
    }
    [[nodiscard]] double slope() const { return across() / (n_ * xx_ - x_ * x_); }
    /// Share of the variance of y that the line explains; 1 where there is none.
    [[nodiscard]] double r_squared() const {
        const double spread = n_ * yy_ - y_ * y_;
        return spread > 1e-12 * n_ * yy_ ? slope() * across() / spread : 1;
    }

private:
    [[nodiscard]] double across() const { return n_ * xy_ - x_ * y_; }
    double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0, yy_ = 0;
};

}  // namespace civitas::quality
