"""A small multi-layer perceptron, trained with AdamW on soft targets. Deterministic for a given seed."""

import jax
import jax.numpy as jnp
import numpy as np


def predict(parameters, inputs):
    """Scores 0...1. Hidden layers are SiLU, the last one is a sigmoid."""
    layers = len(parameters) // 2
    x = inputs
    for i in range(layers):
        x = x @ parameters[2 * i] + parameters[2 * i + 1]
        x = x / (1 + np.exp(-np.clip(x, -60, 60))) if i < layers - 1 else 1 / (1 + np.exp(-x))
    return x


def _logits(parameters, x):
    layers = len(parameters) // 2
    for i in range(layers):
        x = x @ parameters[2 * i] + parameters[2 * i + 1]
        if i < layers - 1:
            x = jax.nn.silu(x)
    return x


def train(inputs, targets, hidden, weights, epochs, seed, rate=3e-3, decay=0.1, batch=256):
    """Fit on a list of copies of the data (each differently augmented), one copy per epoch in turn.

    The loss is cross-entropy against the 0...1 targets: scores near 0 and near 1 both count, which
    squared error would leave to the middle of the range.
    """
    rng = np.random.default_rng(seed)
    sizes = [inputs[0].shape[1], *hidden, targets[0].shape[1]]
    parameters = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        parameters.append(jnp.array(rng.normal(0, np.sqrt(1.6 / a), (a, b)).astype(np.float32)))
        parameters.append(jnp.zeros(b, jnp.float32))
    rows = len(inputs[0])
    steps = epochs * (rows // batch)
    weights = jnp.array(weights, jnp.float32)

    def loss(p, x, t):
        o = _logits(p, x)
        return 10 * ((jnp.logaddexp(0, o) - t * o) * weights).mean()

    @jax.jit
    def step(p, m, v, x, t, i):
        gradient = jax.grad(loss)(p, x, t)
        lr = rate * (0.5 + 0.5 * jnp.cos(jnp.pi * i / steps)) * jnp.minimum(1, (i + 1) / 100)
        p2, m2, v2 = [], [], []
        for a, b, c, g in zip(p, m, v, gradient):
            b, c = 0.9 * b + 0.1 * g, 0.99 * c + 0.01 * g * g
            update = b / (1 - 0.9 ** (i + 1)) / (jnp.sqrt(c / (1 - 0.99 ** (i + 1))) + 1e-8)
            p2.append(a - lr * (update + (decay * a if a.ndim == 2 else 0)))
            m2.append(b)
            v2.append(c)
        return p2, m2, v2

    m, v = [jnp.zeros_like(a) for a in parameters], [jnp.zeros_like(a) for a in parameters]
    i = 0
    for epoch in range(epochs):
        x, t = inputs[epoch % len(inputs)], targets[epoch % len(inputs)]
        order = rng.permutation(rows)
        for start in range(0, rows - batch + 1, batch):
            chosen = order[start : start + batch]
            parameters, m, v = step(parameters, m, v, x[chosen], t[chosen], i)
            i += 1
    return [np.asarray(a) for a in parameters]
