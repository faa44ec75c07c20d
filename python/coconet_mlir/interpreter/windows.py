"""Windows over images: patches, convolutions and pooling on plain arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coconet_mlir.interpreter.domain import Arithmetic, Array


@dataclass(frozen=True)
class Window:
    """Where windows lie along height and width."""

    size: tuple[int, int]
    strides: tuple[int, int]
    padding: tuple[int, int]
    dilations: tuple[int, int] = (1, 1)

    def span(self, along: int) -> int:
        """Elements from the first to the last that one window reads."""
        return self.dilations[along] * (self.size[along] - 1) + 1

    def count(self, extent: int, along: int) -> int:
        """Number of places over `extent` elements."""
        room = extent + 2 * self.padding[along] - self.span(along)
        return 0 if room < 0 else room // self.strides[along] + 1

    def positions(self, count: int, along: int) -> Array:
        """The element that a window reads: [element of the window, place]."""
        start = np.arange(count) * self.strides[along] - self.padding[along]
        return np.arange(self.size[along])[:, None] * self.dilations[along] + start


def patches(images: Array, window: Window, places: tuple[int, int], fill: Array) -> Array:
    """[N, C, KH, KW, OH, OW]; `fill` where a window reads outside of the image."""
    ys, xs = (window.positions(places[i], i) for i in (0, 1))
    inside = _within(ys, images.shape[2])[:, None, :, None] & _within(xs, images.shape[3])[:, None]
    shape = images.shape[:2] + inside.shape
    if 0 in images.shape:
        return np.broadcast_to(np.asarray(fill, images.dtype), shape)
    safe_y, safe_x = (np.clip(p, 0, n - 1) for p, n in zip((ys, xs), images.shape[2:], strict=True))
    read = images[:, :, safe_y[:, None, :, None], safe_x[:, None]]
    return np.where(inside, read, fill)


def _within(positions: Array, size: int) -> Array:
    return (positions >= 0) & (positions < size)


def _columns(numbers: Arithmetic, images: Array, window: Window, places, groups: int) -> Array:
    """Patches as [groups, C / groups * KH * KW, N * OH * OW]."""
    zero = numbers.from_integers(np.asarray(0))
    moved = np.moveaxis(patches(images, window, places, zero), 0, 3)
    depth = images.shape[1] // groups * window.size[0] * window.size[1]
    return moved.reshape(groups, depth, images.shape[0] * places[0] * places[1])


def _grouped(outputs: Array, groups: int) -> Array:
    """[N, O, OH, OW] as [groups, O / groups, N * OH * OW]."""
    images, channels, height, width = outputs.shape
    moved = np.moveaxis(outputs, 1, 0)
    return moved.reshape(groups, channels // groups, images * height * width)


def convolve(
    numbers: Arithmetic, images: Array, weight: Array, window: Window, groups: int
) -> Array:
    """[N, O, OH, OW]."""
    places = (window.count(images.shape[2], 0), window.count(images.shape[3], 1))
    columns = _columns(numbers, images, window, places, groups)
    kernel = weight.reshape(groups, weight.shape[0] // groups, columns.shape[1])
    product = numbers.matmul(kernel, columns)
    shape = (weight.shape[0], images.shape[0], *places)
    return np.moveaxis(product.reshape(shape), 0, 1)


def weight_gradient(
    numbers: Arithmetic, images: Array, outputs: Array, window: Window, groups: int
) -> Array:
    """[O, C / groups, KH, KW]."""
    columns = _columns(numbers, images, window, outputs.shape[2:], groups)
    product = numbers.matmul(_grouped(outputs, groups), np.swapaxes(columns, 1, 2))
    return product.reshape(outputs.shape[1], images.shape[1] // groups, *window.size)


def input_gradient(
    numbers: Arithmetic,
    outputs: Array,
    weight: Array,
    window: Window,
    groups: int,
    sizes: tuple[int, int],
) -> Array:
    """[N, C, H, W]: every element of a patch is added to where it was read."""
    depth = weight.shape[1] * window.size[0] * window.size[1]
    kernel = weight.reshape(groups, weight.shape[0] // groups, depth)
    product = numbers.matmul(np.swapaxes(kernel, 1, 2), _grouped(outputs, groups))
    places = outputs.shape[2:]
    channels = weight.shape[1] * groups
    parts = product.reshape(channels, *window.size, outputs.shape[0], *places)
    ends = [
        max(sizes[i] + window.padding[i], (places[i] - 1) * window.strides[i] + window.span(i))
        for i in (0, 1)
    ]
    total = np.zeros((channels, outputs.shape[0], *ends), parts.dtype)
    total[...] = numbers.from_integers(np.asarray(0))
    if places[0] and places[1]:
        for ky in range(window.size[0]):
            for kx in range(window.size[1]):
                at = tuple(
                    slice(
                        k * window.dilations[i],
                        k * window.dilations[i] + (places[i] - 1) * window.strides[i] + 1,
                        window.strides[i],
                    )
                    for i, k in enumerate((ky, kx))
                )
                total[(..., *at)] = numbers.add(total[(..., *at)], parts[:, ky, kx])
    top, left = window.padding
    return np.moveaxis(total[:, :, top : top + sizes[0], left : left + sizes[1]], 0, 1)
