"""Layers of neural networks in plain numpy, element by element, for tests."""

from __future__ import annotations

import numpy as np

Array = np.ndarray
Pair = tuple[int, int]


def layer_norm(x: Array, dims: list[int], eps: float) -> Array:
    axes = tuple(dims)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def rms_norm(x: Array, dims: list[int], eps: float) -> Array:
    return x / np.sqrt((x * x).mean(tuple(dims), keepdims=True) + eps)


def cross_entropy(logits: Array, labels: Array) -> Array:
    """Over the last dimension; a label out of range picks nothing."""
    shifted = logits - logits.max(-1, keepdims=True)
    total = np.log(np.exp(shifted).sum(-1))
    for place in np.ndindex(labels.shape):
        if 0 <= labels[place] < logits.shape[-1]:
            total[place] -= shifted[(*place, int(labels[place]))]
    return total


def take(table: Array, indices: Array) -> Array:
    result = np.zeros((*indices.shape, *table.shape[1:]), table.dtype)
    for place in np.ndindex(indices.shape):
        if 0 <= indices[place] < table.shape[0]:
            result[place] = table[int(indices[place])]
    return result


def scatter_add(updates: Array, indices: Array, rows: int) -> Array:
    result = np.zeros((rows, *updates.shape[indices.ndim :]), updates.dtype)
    for place in np.ndindex(indices.shape):
        if 0 <= indices[place] < rows:
            result[int(indices[place])] += updates[place]
    return result


def _places(size: int, window: int, stride: int, padding: int, dilation: int) -> int:
    room = size + 2 * padding - dilation * (window - 1) - 1
    return 0 if room < 0 else room // stride + 1


def _taps(input_shape, weight_shape, strides: Pair, padding: Pair, dilations: Pair, groups: int):
    """Every product of a convolution: where input, weight and output are read or written."""
    images, _, height, width = input_shape
    results, per_group, *window = weight_shape
    high = _places(height, window[0], strides[0], padding[0], dilations[0])
    wide = _places(width, window[1], strides[1], padding[1], dilations[1])
    for o, c, ky, kx, oy, ox in np.ndindex(results, per_group, *window, high, wide):
        y = oy * strides[0] + ky * dilations[0] - padding[0]
        x = ox * strides[1] + kx * dilations[1] - padding[1]
        if 0 <= y < height and 0 <= x < width:
            channel = o // (results // groups) * per_group + c
            yield (
                (slice(None), channel, y, x),
                (o, c, ky, kx),
                (slice(None), o, oy, ox),
            )


def conv2d(x: Array, weight: Array, *, strides: Pair, padding: Pair, dilations: Pair, groups: int):
    shape = [
        _places(x.shape[2 + i], weight.shape[2 + i], strides[i], padding[i], dilations[i])
        for i in (0, 1)
    ]
    result = np.zeros((x.shape[0], weight.shape[0], *shape), x.dtype)
    for source, tap, place in _taps(x.shape, weight.shape, strides, padding, dilations, groups):
        result[place] += x[source] * weight[tap]
    return result


def conv2d_input_gradient(
    gradient: Array, weight: Array, sizes: Pair, *, strides, padding, dilations, groups
) -> Array:
    shape = (gradient.shape[0], weight.shape[1] * groups, *sizes)
    result = np.zeros(shape, gradient.dtype)
    for source, tap, place in _taps(shape, weight.shape, strides, padding, dilations, groups):
        result[source] += gradient[place] * weight[tap]
    return result


def conv2d_weight_gradient(
    x: Array, gradient: Array, sizes: Pair, *, strides, padding, dilations, groups
) -> Array:
    shape = (gradient.shape[1], x.shape[1] // groups, *sizes)
    result = np.zeros(shape, x.dtype)
    for source, tap, place in _taps(x.shape, shape, strides, padding, dilations, groups):
        result[tap] += np.sum(x[source] * gradient[place])
    return result


def pool2d(kind: str, x: Array, window: Pair, *, strides: Pair, padding: Pair) -> Array:
    """`mean` counts padding as zeros, `max` ignores it."""
    places = [_places(x.shape[2 + i], window[i], strides[i], padding[i], 1) for i in (0, 1)]
    result = np.zeros((*x.shape[:2], *places), x.dtype)
    for oy, ox in np.ndindex(*places):
        top, left = oy * strides[0] - padding[0], ox * strides[1] - padding[1]
        part = x[:, :, max(top, 0) : top + window[0], max(left, 0) : left + window[1]]
        if kind == "max":
            result[:, :, oy, ox] = part.max((2, 3))
        else:
            result[:, :, oy, ox] = part.sum((2, 3)) / (window[0] * window[1])
    return result
