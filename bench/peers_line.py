"""Who learns a linear regression in one pass, a row at a time: the same rows, in the same order, without intercept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tailproof
from peer import OURS, Contender, Learned
from peers_data import Rows

Run = Callable[[], Learned]

# The job of the others: this row order, and nothing beside the slopes.
PLAIN = {"penalty": None, "fit_intercept": False, "shuffle": False}


def contenders(rows: Rows, folder: Path) -> list[Contender]:
    """Ours first. Slow ones take fewer of the rows, the first ones."""
    many, some, few = len(rows), min(len(rows), 1 << 14), min(len(rows), 1 << 11)
    half = min(len(rows), 1 << 17)

    def made(name: str, package: str, count: int, prepare: Callable[[Rows], Run], note: str = "") -> Contender:
        return Contender(name, package, count, lambda: prepare(rows.first(count)), note)

    blocks = ((10_000, many), (100, half), (1, few))
    text = min(len(rows), 4_000_000 // rows.width)
    return [
        made("tailproof ClippedSGD", OURS, many, ours),
        made("tailproof ClippedSGD, level set by the stream", OURS, many, self_tuned),
        made("tailproof ClippedSGD, one row a call", OURS, few, row_by_row),
        made("tailproof.river LinearRegression.learn_one", OURS, some, own_river, "nothing to tune"),
        *(
            made(f"scikit-learn partial_fit, blocks of {size:,}", "scikit-learn", count,
                 scikit(size, PLAIN), "no clip, shuffle, penalty or intercept")
            for size, count in blocks
        ),
        made("scikit-learn partial_fit as it comes, blocks of 10,000", "scikit-learn", many,
             scikit(10_000, {}), "no clip; shuffles each block; penalty, intercept"),
        made("River LinearRegression.learn_one", "river", some, river_one, "clips the loss's slope, not the gradient"),
        made("River learn_many, blocks of 100", "river", half, river_many(100, 0.03), "one step a block"),
        made("River learn_many, blocks of 10,000", "river", many, river_many(10_000, 0.3), "one step a block"),
        made("Vowpal Wabbit, from its cache", "vowpalwabbit", text, rabbit(folder, cached=True),
             "float32, adaptive steps, reads a file"),
        made("Vowpal Wabbit, from text", "vowpalwabbit", text, rabbit(folder, cached=False),
             "float32, adaptive steps, reads a file"),
        made("JAX lax.scan with the clip", "jax", half, jax_scan, "compiled before"),
        made("Optax clip_by_global_norm, in lax.scan", "optax", half, optax_scan, "compiled before"),
        made("PyTorch autograd, clip_grad_norm_", "torch", few, torch_loop),
        made("NumPy, a Python loop", "numpy", some, numpy_loop),
    ]  # fmt: skip


def level(rows: Rows) -> float:
    return 0.06 * float(np.sqrt(len(rows) * rows.width))


def rule(rows: Rows, clip: Any = None) -> tailproof.ClippedSGD:
    return tailproof.ClippedSGD(
        loss=tailproof.Squared(),
        level=clip or tailproof.Fixed(level(rows)),
        steps=tailproof.Harmonic(1.0, 2.0 * rows.width),
    )


def ours(rows: Rows) -> Run:
    return whole(rule(rows), rows)


def self_tuned(rows: Rows) -> Run:
    return whole(rule(rows, tailproof.SelfTuned()), rows)


def whole(used: Any, rows: Rows) -> Run:
    def run() -> Learned:
        state = used.step(used.init(rows.width), rows.X, rows.y)
        return Learned(int(state.counts[0]), state.theta)

    return run


def row_by_row(rows: Rows) -> Run:
    used = rule(rows)

    def run() -> Learned:
        state = used.init(rows.width)
        for i in range(len(rows)):
            state = used.step(state, rows.X[i : i + 1], rows.y[i : i + 1])
        return Learned(int(state.counts[0]), state.theta)

    return run


def own_river(rows: Rows) -> Run:
    from tailproof.river import LinearRegression

    pairs = named(rows)

    def run() -> Learned:
        model = LinearRegression(fit_intercept=False)
        for x, y in pairs:
            model.learn_one(x, y)
        return Learned(int(model.n_seen), weights_of(model, rows.width))

    return run


def named(rows: Rows) -> list[tuple[dict[int, float], float]]:
    """As River wants them, made before the clock starts."""
    return [(dict(enumerate(x)), y) for x, y in zip(rows.X.tolist(), rows.y.tolist(), strict=True)]


def rate(rows: Rows) -> float:
    """A constant step with which plain descents neither burst nor crawl."""
    return 0.2 / rows.width


def scikit(size: int, options: dict[str, Any]) -> Callable[[Rows], Run]:
    def prepare(rows: Rows) -> Run:
        from sklearn.linear_model import SGDRegressor

        def run() -> Learned:
            model = SGDRegressor(learning_rate="constant", eta0=rate(rows), **options)
            for i in range(0, len(rows), size):
                model.partial_fit(rows.X[i : i + size], rows.y[i : i + size])
            return Learned(int(model.t_) - 1, model.coef_)

        return run

    return prepare


def river_one(rows: Rows) -> Run:
    from river import linear_model, optim

    pairs = named(rows)

    def run() -> Learned:
        model = linear_model.LinearRegression(optimizer=optim.SGD(rate(rows)), intercept_lr=0.0)
        for x, y in pairs:
            model.learn_one(x, y)
        return Learned(int(model.optimizer.n_iterations), weights_of(model, rows.width))

    return run


def river_many(size: int, rate: float) -> Callable[[Rows], Run]:
    def prepare(rows: Rows) -> Run:
        import pandas as pd
        from river import linear_model, optim

        columns = list(range(rows.width))
        blocks = [
            (pd.DataFrame(rows.X[i : i + size], columns=columns), pd.Series(rows.y[i : i + size]))
            for i in range(0, len(rows), size)
        ]

        def run() -> Learned:
            model = linear_model.LinearRegression(optimizer=optim.SGD(rate), intercept_lr=0.0)
            for X, y in blocks:
                model.learn_many(X, y)
            steps = int(model.optimizer.n_iterations)
            return Learned(sum(len(y) for _, y in blocks[:steps]), weights_of(model, rows.width))

        return run

    return prepare


def weights_of(model: Any, width: int) -> Any:
    weights = model.weights
    return np.array([weights[j] for j in range(width)])


def rabbit(folder: Path, cached: bool, options: str = "") -> Callable[[Rows], Run]:
    def prepare(rows: Rows) -> Run:
        from vowpalwabbit import Workspace

        text = written(folder, rows)
        cache = text.with_suffix(".cache")
        used = f"--noconstant --quiet {options}"
        if cached and not cache.exists():
            Workspace(f"-d {text} --cache_file {cache} -k {used}").finish()
        read = f"-d {text} --cache_file {cache}" if cached else f"-d {text}"

        def run() -> Learned:
            model = Workspace(f"{read} {used}")
            learned = Learned(int(model.get_weighted_examples()), rabbit_weights(model, rows.width))
            model.finish()
            return learned

        return run

    return prepare


def rabbit_weights(model: Any, width: int) -> Any:
    space = model.hash_space("x")
    return np.array([model.get_weight(model.hash_feature(str(j), space), 0) for j in range(width)])


def rabbit_lines(rows: Rows) -> list[str]:
    """Columns are named by numbers, which no hash can bring together."""
    form = "%.7g |x " + " ".join(f"{j}:%.7g" for j in range(rows.width))
    return [form % (y, *x) for x, y in zip(rows.X.tolist(), rows.y.tolist(), strict=True)]


def written(folder: Path, rows: Rows) -> Path:
    path = folder / f"line-{rows.width}.txt"
    if not path.exists():
        path.write_text("\n".join(rabbit_lines(rows)) + "\n")
    return path


def jax_scan(rows: Rows) -> Run:
    jax, jnp = jax_in_doubles()
    X, y, limit, delay = jnp.asarray(rows.X), jnp.asarray(rows.y), level(rows), 2.0 * rows.width

    def step(carry: Any, row: Any) -> Any:
        theta, seen = carry
        gradient = (row[0] @ theta - row[1]) * row[0]
        factor = jnp.minimum(1.0, limit / jnp.sqrt(gradient @ gradient))
        return (theta - factor / (seen + 1.0 + delay) * gradient, seen + 1.0), None

    learn = jax.jit(lambda X, y: jax.lax.scan(step, (jnp.zeros(rows.width), 0.0), (X, y))[0])

    def run() -> Learned:
        theta, seen = jax.block_until_ready(learn(X, y))
        return Learned(int(seen), np.asarray(theta))

    return run


def optax_scan(rows: Rows) -> Run:
    jax, jnp = jax_in_doubles()
    learn = jax.jit(optax_learner(level(rows), 1.0, 2.0 * rows.width))
    X, y = jnp.asarray(rows.X), jnp.asarray(rows.y)

    def run() -> Learned:
        theta, seen = jax.block_until_ready(learn(X, y))
        return Learned(int(seen), np.asarray(theta))

    return run


def optax_learner(limit: float, gain: float, delay: float) -> Callable[[Any, Any], Any]:
    """One pass by Optax with the clip and the steps of Algorithm 1; returns slopes and rows taken."""
    import optax

    jax, jnp = jax_in_doubles()
    descent = optax.chain(optax.clip_by_global_norm(limit), optax.sgd(lambda t: gain / (t + 1.0 + delay)))

    def step(carry: Any, row: Any) -> Any:
        theta, memory, seen = carry
        gradient = jax.grad(lambda theta: 0.5 * (row[0] @ theta - row[1]) ** 2)(theta)
        moves, memory = descent.update(gradient, memory)
        return (optax.apply_updates(theta, moves), memory, seen + 1), None

    def learn(X: Any, y: Any) -> Any:
        theta = jnp.zeros(X.shape[1])
        theta, _, seen = jax.lax.scan(step, (theta, descent.init(theta), 0), (X, y))[0]
        return theta, seen

    return learn


def jax_in_doubles() -> Any:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    return jax, jnp


def torch_loop(rows: Rows) -> Run:
    import torch

    torch.set_num_threads(1)
    X, y = torch.from_numpy(np.array(rows.X)), torch.from_numpy(np.array(rows.y))

    def run() -> Learned:
        theta, steps = torch_descent(torch, X, y, level(rows), 1.0, 2.0 * rows.width)
        return Learned(steps, theta)

    return run


def torch_descent(torch: Any, X: Any, y: Any, limit: float, gain: float, delay: float) -> tuple[Any, int]:
    """Slopes and steps taken."""
    theta = torch.zeros(X.shape[1], dtype=torch.float64, requires_grad=True)
    descent = torch.optim.SGD([theta], lr=1.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(descent, lambda t: gain / (t + 1.0 + delay))
    for x, target in zip(X, y, strict=True):
        descent.zero_grad()
        (0.5 * (x @ theta - target) ** 2).backward()
        torch.nn.utils.clip_grad_norm_([theta], limit)
        descent.step()
        schedule.step()
    return theta.detach().numpy(), schedule.last_epoch


def numpy_loop(rows: Rows) -> Run:
    limit, delay = level(rows), 2.0 * rows.width

    def run() -> Learned:
        theta, seen = np.zeros(rows.width), 0
        for x, y in zip(rows.X, rows.y, strict=True):
            gradient = (x @ theta - y) * x
            length = np.sqrt(gradient @ gradient)
            seen += 1
            theta -= min(1.0, limit / length) / (seen + delay) * gradient
        return Learned(seen, theta)

    return run
