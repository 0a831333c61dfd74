"""Groups of pictures that a threshold must hold in, from what meshes, pixels and names tell.

The pictures come without age, origin or sex. What is grouped here is what can be measured, and given names that
are usually women's. A picture may belong to many groups.
"""

import numpy as np

import face

WOMEN = set(
    "Amanda Amelie Amy Andrea Angela Angelina Anna Anne Barbara Betty Britney Cameron Carol Carolina Cate Catherine "
    "Celine Charlize Christina Christine Claire Condoleezza Daniela Debra Demi Diana Diane Elena Elizabeth Ellen Emily "
    "Emma Eva Gloria Gwyneth Halle Heather Heidi Helen Hillary Holly Isabella Jada Jane Janet Jean Jelena Jennifer "
    "Jessica Joan Judy Julia Julianne Julie Justine Karen Kate Kathleen Kathryn Kirsten Kristin Laura Lauren Leslie "
    "Linda Lindsay Lisa Lucy Lynne Makiko Margaret Maria Marie Martina Mary Megan Megawati Meryl Mia Michelle Monica "
    "Nancy Naomi Natalia Natalie Nicole Oprah Pamela Patricia Paula Penelope Rachel Rebecca Renee Rita Rosa Sally Salma "
    "Sandra Sarah Serena Shannon Sharon Sheryl Sophia Stephanie Susan Tara Teri Theresa Tiffany Tina Tracy Uma Vanessa "
    "Venus Victoria Winona Yoko Yoriko".split()
)

# Points of the aligned face that move little: nose, eye corners, cheeks' and forehead's outline.
SHAPE = [1, 4, 5, 6, 168, 195, 197, 133, 33, 362, 263, 129, 358, 98, 327, 2, 234, 454, 127, 356, 93, 323, 132, 361]
SHAPES = 5

MOUTH_OPEN = "mouth open"


def clusters(points, count, seed=5, rounds=50):
    """k-means from fixed seeds. Returns the centres, that of the largest cluster first."""
    rng = np.random.default_rng(seed)
    centres = points[rng.choice(len(points), count, False)]
    for _ in range(rounds):
        nearest = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
        centres = np.array([points[nearest == k].mean(0) if (nearest == k).any() else centres[k] for k in range(count)])
    return centres[np.argsort(-np.bincount(nearest, minlength=count), kind="stable")]


def bands(values, rows, names, shares):
    """Groups by quantiles of `values` over `rows`."""
    edges = [-np.inf, *np.quantile(values[rows], shares), np.inf]
    return {n: (values >= a) & (values < b) for n, a, b in zip(names, edges[:-1], edges[1:])}


def groups(data, crops, aligned, rotation, rows):
    """Masks over all faces, by group. `rows`: the neutral pictures whose quantiles divide the groups."""
    geometry = face.measures(aligned, rotation)
    axis = face.view_axis(rotation)
    yaw, pitch = np.degrees(np.arctan2(axis[:, 0], axis[:, 2])), -np.degrees(np.arcsin(axis[:, 1]))
    everyone = np.ones(len(yaw), bool)
    out = {"everyone": everyone}

    shape = aligned[:, SHAPE].reshape(len(aligned), -1)
    mean = shape[rows].mean(0)
    _, s, v = np.linalg.svd(shape[rows] - mean, full_matrices=False)
    place = (shape - mean) @ v[:4].T
    found = ((place[:, None] - clusters(place[rows], SHAPES)) ** 2).sum(2).argmin(1)
    out |= {f"face shape {'ABCDE'[k]}": found == k for k in range(SHAPES)}
    name = np.array([p.split("/")[-1].split("_")[0] for p in data.person])
    out["women's given names"] = np.isin(name, list(WOMEN))

    out |= bands(geometry["lids_open"], rows, ["narrow eyes", "middling eyes", "wide eyes"], [0.25, 0.75])
    brow = -geometry["inner_brow_down"]
    out |= bands(brow, rows, ["low brows", "middling brows", "high brows"], [0.25, 0.75])
    lips = np.linalg.norm(aligned[:, 0] - aligned[:, 13], axis=1) + np.linalg.norm(aligned[:, 14] - aligned[:, 17], axis=1)
    out |= bands(lips, rows, ["thin lips", "middling lips", "full lips"], [0.25, 0.75])

    for low, high in ((0, 10), (10, 20), (20, 40)):
        out[f"turned {low} to {high} degrees"] = (abs(yaw) >= low) & (abs(yaw) < high)
    out["head down by 8 degrees"], out["head up by 8 degrees"] = pitch < -8, pitch > 8

    pixels = crops.pixels.astype(np.float32)
    inner = pixels[:, 8:60, 8:56]
    level = inner.mean((1, 2))
    out |= bands(level, rows, ["dark", "middling light", "bright"], [0.25, 0.75])
    side = np.log((pixels[:, 14:56, 8:30].mean((1, 2)) + 4) / (pixels[:, 14:56, 34:56].mean((1, 2)) + 4))
    out["lit from one side"] = abs(side) > np.quantile(abs(side)[rows], 0.85)
    contrast = inner.std((1, 2)) + 4
    edges = 4 * inner[:, 1:-1, 1:-1] - inner[:, :-2, 1:-1] - inner[:, 2:, 1:-1] - inner[:, 1:-1, :-2] - inner[:, 1:-1, 2:]
    out |= bands(edges.std((1, 2)) / contrast, rows, ["blurred", "middling sharp", "sharp"], [0.2, 0.8])
    out["small (eyes < 130 px apart)"] = data.eye_pixels < 130
    # A frame crosses the bridge of the nose: of the strongest tenth nearly all wear glasses.
    bridge = np.abs(np.diff(pixels[:, 19:31, 29:35], axis=1)).max(1).mean(1) / contrast
    out |= bands(bridge, rows, ["no glasses", "perhaps glasses", "glasses"], [0.8, 0.9])
    lines = np.abs(np.diff(pixels[:, 6:16, 20:44], axis=1, n=2)).mean((1, 2)) / contrast
    out |= bands(lines, rows, ["smooth forehead", "some lines", "lines (or a hat)"], [0.25, 0.75])
    return out


def at_rest(found, data):
    """The groups without the faces whose mouth the reference sees open, and these as a group of their own.

    Most of those whom the labels call neutral although the mouth is open are speaking: their faces do show something.
    """
    is_open = data.target[:, data.names.index("jawOpen")] >= 0.1
    return {name: mask & ~is_open for name, mask in found.items()} | {MOUTH_OPEN: is_open}
