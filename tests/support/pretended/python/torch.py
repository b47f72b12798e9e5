"""Stands in for PyTorch where it cannot be imported: as much of it as draws from an exported net, in numpy alone."""
import contextlib
import numpy

__version__ = "pretended, by numpy"


class Tensor(numpy.ndarray):
    def numpy(self):
        return numpy.asarray(self)


def from_numpy(array):
    return array.view(Tensor)


@contextlib.contextmanager
def no_grad():
    yield


class Module:
    state = ()

    def __call__(self, x):
        return self.forward(x)


class Convolution(Module):
    state = ("weight",)

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, bias):
        assert not bias
        self.shape = {"weight": self.order(in_channels, out_channels) + (kernel_size, kernel_size)}
        self.side, self.stride, self.padding = kernel_size, stride, padding


class Conv2d(Convolution):
    order = staticmethod(lambda inputs, outputs: (outputs, inputs))

    def forward(self, x):
        p, s = self.padding, self.stride
        x = numpy.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
        count = (x.shape[2] - self.side) // s + 1
        return sum(numpy.einsum("bihw,oi->bohw", x[:, :, i:i + s * count:s, j:j + s * count:s], self.weight[:, :, i, j])
                   for i in range(self.side) for j in range(self.side))


class ConvTranspose2d(Convolution):
    order = staticmethod(lambda inputs, outputs: (inputs, outputs))

    def forward(self, x):
        p, s, count = self.padding, self.stride, x.shape[2]
        side = (count - 1) * s + self.side
        y = numpy.zeros((x.shape[0], self.weight.shape[1], side, side), x.dtype)
        for i in range(self.side):
            for j in range(self.side):
                part = numpy.tensordot(x, self.weight[:, :, i, j], axes=(1, 0)).transpose(0, 3, 1, 2)
                y[:, :, i:i + s * count:s, j:j + s * count:s] += part
        return y[:, :, p:side - p, p:side - p]


class BatchNorm2d(Module):
    state = ("weight", "bias", "running_mean", "running_var")

    def __init__(self, num_features, eps=1e-5):
        self.shape, self.eps = {name: (num_features,) for name in self.state}, eps

    def forward(self, x):
        weight, bias, mean, variance = (getattr(self, name).reshape(1, -1, 1, 1) for name in self.state)
        return (x - mean) / numpy.sqrt(variance + self.eps) * weight + bias


class LeakyReLU(Module):
    def __init__(self, negative_slope=0.01):
        self.slope = negative_slope

    def forward(self, x):
        return numpy.where(x > 0, x, self.slope * x)


class ReLU(LeakyReLU):
    def __init__(self):
        super().__init__(0)


class Tanh(Module):
    def forward(self, x):
        return numpy.tanh(x)


class Sequential(Module):
    def __init__(self, layers):
        self.layers = layers

    def eval(self):
        return self

    def load_state_dict(self, tensors):
        names = [f"{name}.{part}" for name, layer in self.layers.items() for part in layer.state]
        assert sorted(names) == sorted(tensors), f"missing or unexpected: {set(names) ^ set(tensors)}"
        for name, array in tensors.items():
            layer, part = name.split(".")
            assert array.shape == self.layers[layer].shape[part], f"{name} is {array.shape}"
            setattr(self.layers[layer], part, numpy.asarray(array, numpy.float64))

    def forward(self, x):
        x = numpy.asarray(x, numpy.float64)
        for layer in self.layers.values():
            x = layer(x)
        return from_numpy(x.astype(numpy.float32))


class nn:
    Sequential, Conv2d, ConvTranspose2d, BatchNorm2d = Sequential, Conv2d, ConvTranspose2d, BatchNorm2d
    LeakyReLU, ReLU, Tanh = LeakyReLU, ReLU, Tanh
