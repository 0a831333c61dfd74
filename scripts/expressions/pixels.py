"""The emotion network: from the pixels of an aligned face to the emotion that people name.

It learns how ten people voted on each face of FER+, and the labels of the press photographs. Trained with PyTorch from
a fixed seed; `forward` and `evidence` are plain numpy, and are what the shipped code must agree with.
"""

import io
import zipfile

import numpy as np
from PIL import Image

from data import bucket

SIDE = 48
SOURCE_SIDE = 64
# Outputs and stride of each 3 x 3 convolution; the first ones are the stem, which the head for covers reads too.
CONVOLUTIONS = [(32, 2), (64, 2), (64, 1), (128, 2), (128, 1), (192, 2)]
STEM = 3
HIDDEN = 96
FLOOR = 4.0
LIMIT = 6.0
EMOTIONS = ["neutral", "joy", "surprise", "sadness", "anger", "disgust", "fear", "contempt"]
LABELS = {"neutral": 0, "happiness": 1, "surprise": 2, "sadness": 3, "anger": 4, "disgust": 5}
BATCH = 128
# Passes over FER+ at the full rate, and those in which the rate falls to 0.
PASSES, LAST_PASSES = 18, 8
RATE = 2e-3
# In the last passes: how much more often grimaces are shown, and the fraction of faces whose mouth is covered.
GRIMACES, COVERED = 6, 0.2
# Of the rows of the last passes, the press photographs; and how much their one student's label counts beside ten votes.
PRESS_ROWS, PRESS_TRUST, PRESS_CERTAINTY = 24, 0.5, 0.75
THREADS = 2


class Crops:
    """The aligned faces as N x 64 x 64 grey pixels; `present` says which rows have any."""

    def __init__(self, path, count):
        self.pixels = np.zeros((count, SOURCE_SIDE, SOURCE_SIDE), np.uint8)
        self.present = np.zeros(count, bool)
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".jpg"):
                    row = int(name[-9:-4])
                    image = Image.open(io.BytesIO(archive.read(name))).convert("L")
                    self.pixels[row] = np.asarray(image.resize((SOURCE_SIDE, SOURCE_SIDE), Image.BOX))
                    self.present[row] = True


def normalized(pixels):
    x = pixels.astype(np.float64)
    x = x - x.mean((1, 2), keepdims=True)
    return x / (x.std((1, 2), keepdims=True) + FLOOR)


def names_of(part):
    """The names of the layers of the stem or of a head, as expressions.json has them."""
    return [c["name"] for c in (part if isinstance(part, list) else part["convolutions"])] + (
        [] if isinstance(part, list) else part["dense"])


def forward(layers, pixels, convolutions=CONVOLUTIONS):
    """The outputs for each crop, N x 48 x 48 in 0...255. Layers: convolutions (3, 3, in, out), then two dense ones."""
    x = normalized(pixels)[..., None]
    for (weight, bias), (_, stride) in zip(layers, convolutions):
        end = x.shape[1]
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        taps = [padded[:, dy : dy + end : stride, dx : dx + end : stride] for dy in range(3) for dx in range(3)]
        x = np.maximum(sum(t @ weight[k // 3, k % 3] for k, t in enumerate(taps)) + bias, 0)
    x = x.reshape(len(x), -1)
    (w, b), (v, c) = layers[len(convolutions) :]
    return np.maximum(x @ w + b, 0) @ v + c


def evidence(logits):
    """The clipped log odds of each emotion against all others, by name."""
    out = {}
    for k, name in enumerate(EMOTIONS):
        others = np.delete(logits, k, 1)
        top = others.max(1)
        odds = logits[:, k] - top - np.log(np.exp(others - top[:, None]).sum(1))
        out[name] = np.clip(odds, -LIMIT, LIMIT)
    return out


class Trainer:
    """Learns from FER+ at the full rate (`start`), then with the press photographs while the rate falls (`finish`)."""

    def __init__(self, votes, data, crops, seed=10, threads=THREADS):
        import torch

        torch.set_num_threads(threads)
        torch.manual_seed(seed)
        self.torch, self.rng = torch, np.random.default_rng(seed)
        self.votes, self.data, self.crops = votes, data, crops
        self.fer = torch.tensor(votes.pixels)[:, None]
        self.press = torch.tensor(crops.pixels)[:, None]
        self.rows = np.where(votes.usable & ~votes.valid & ~votes.joining)[0]
        # Rare emotions are shown more often.
        share = votes.target[self.rows].sum(0)
        chance = (votes.target[self.rows] * share**-0.25).sum(1)
        self.chance = chance / chance.sum()
        mean = votes.target[self.rows].mean(0)
        self.label = np.array([LABELS.get(e, -1) for e in data.emotion])
        self.press_target = np.eye(len(EMOTIONS))[self.label] * PRESS_CERTAINTY + (1 - PRESS_CERTAINTY) * mean
        self.net = self.network()

    def network(self):
        nn = self.torch.nn
        parts, inputs, side = [], 1, SIDE
        for outputs, stride in CONVOLUTIONS:
            parts += [nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
            inputs, side = outputs, side // stride
        dense = nn.Linear(inputs * side * side, HIDDEN)
        parts += [nn.Flatten(), nn.Dropout(0.4), dense, nn.ReLU(), nn.Dropout(0.2), nn.Linear(HIDDEN, len(EMOTIONS))]
        return nn.Sequential(*parts).to(memory_format=self.torch.channels_last)

    def placed(self, base):
        """Affine maps from crops to pictures: `base`, moved by up to 6 %, turned by up to 18 degrees, 12 % larger or
        smaller, half of them mirrored."""
        n, uniform = len(base), lambda bound: self.rng.uniform(-bound, bound, len(base))
        angle, scale = np.radians(uniform(18)), np.exp(uniform(0.12))
        sign = np.where(self.rng.random(n) < 0.5, -1.0, 1.0)
        moved = np.zeros((n, 3, 3))
        moved[:, 0, 0], moved[:, 0, 1] = scale * np.cos(angle) * sign, -scale * np.sin(angle)
        moved[:, 1, 0], moved[:, 1, 1] = scale * np.sin(angle) * sign, scale * np.cos(angle)
        moved[:, 0, 2], moved[:, 1, 2], moved[:, 2, 2] = uniform(0.12), uniform(0.12), 1
        return np.float32(base @ moved)

    def cut(self, pictures, maps):
        F = self.torch.nn.functional
        grid = F.affine_grid(self.torch.tensor(maps), (len(maps), 1, SIDE, SIDE), align_corners=False)
        return F.grid_sample(pictures.float(), grid, padding_mode="border", align_corners=False)

    def relit(self, x):
        """Other lamps, other cameras, something in front of the face; then without exposure."""
        torch, F, rng, n = self.torch, self.torch.nn.functional, self.rng, len(x)
        column = lambda values: torch.tensor(np.asarray(values, np.float32))[:, None, None, None]
        across, down = torch.meshgrid(torch.linspace(-1, 1, SIDE), torch.linspace(-1, 1, SIDE), indexing="xy")
        x = 255 * (x / 255).clamp(1e-3, 1) ** column(np.exp(rng.normal(0, 0.3, n)))
        x = x * torch.exp(column(rng.normal(0, 0.3, n)) * across + column(rng.normal(0, 0.25, n)) * down)
        blurred = rng.random(n) < 0.3
        small = int(rng.integers(24, 44))
        y = F.interpolate(x[blurred], (small, small), mode="bilinear", antialias=True, align_corners=False)
        x[blurred] = F.interpolate(y, (SIDE, SIDE), mode="bilinear", align_corners=False)
        for k in np.where(rng.random(n) < 0.2)[0]:
            top, left, size = *rng.integers(0, SIDE - 8, 2), int(rng.integers(6, 16))
            x[k, :, top : top + size, left : left + size] = x[k].mean()
        x = x + torch.randn_like(x) * column(rng.uniform(0, 6, n))
        x = x - x.mean((2, 3), keepdim=True)
        return x / (x.std((2, 3), keepdim=True, unbiased=False) + FLOOR)

    def faces(self, count):
        """Faces of FER+ and their votes: two thirds aligned, the others as the picture shows them."""
        rows = self.rng.choice(self.rows, count, p=self.chance)
        base = np.where((self.rng.random(count) < 0.67)[:, None, None], self.votes.aligned[rows], self.votes.unaligned)
        return self.cut(self.fer[rows], self.placed(base)), self.torch.tensor(self.votes.target[rows]).float()

    def run(self, steps, schedule, press=None, told=print):
        torch, F = self.torch, self.torch.nn.functional
        self.net.train()
        for step in range(steps):
            few = PRESS_ROWS if press is not None else 0
            x, target = self.faces(BATCH - few)
            weight = torch.ones(BATCH)
            if few:
                rows = self.rng.choice(press, few)
                x = torch.cat([x, self.cut(self.press[rows], self.placed(np.eye(3)[None, :2].repeat(few, 0)))])
                target = torch.cat([target, torch.tensor(self.press_target[rows]).float()])
                # Film stills count less: their few actors would be learned instead of the emotions.
                weight[-few:] = torch.tensor(np.where(self.data.film[rows], 0.3, 1.0) * PRESS_TRUST).float()
                for k in np.where(self.rng.random(BATCH) < COVERED)[0]:
                    x[k, :, self.rng.integers(24, 32) :] = x[k].mean()
            output = self.net(self.relit(x).contiguous(memory_format=torch.channels_last))
            loss = (F.cross_entropy(output, target, reduction="none") * weight).sum() / weight.sum()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            schedule.step()
            if step % 50 == 0:
                told(f"{step} of {steps}: {loss.item():.4f}")

    def start(self, passes=PASSES, told=print):
        """The passes at the full rate."""
        torch, steps = self.torch, round(passes * len(self.rows) / BATCH)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=RATE, weight_decay=0.05)
        warm = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: min(1, (step + 1) / 200))
        self.run(steps, warm, told=told)

    def finish(self, rows, seed=10, passes=LAST_PASSES, told=print):
        """The layers after the last passes, with the press photographs among `rows`."""
        torch, steps = self.torch, round(passes * len(self.rows) / (BATCH - PRESS_ROWS))
        torch.manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        for group in self.optimizer.param_groups:
            group["lr"] = group["initial_lr"] = RATE
        # Mouths that only seem to smile are shown more often, and some are covered: brows and lids have to tell.
        self.chance = self.chance * np.where(self.votes.grimace[self.rows], GRIMACES, 1)
        self.chance /= self.chance.sum()
        fall = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, steps)
        rows = rows[self.crops.present[rows] & (self.label[rows] >= 0)]
        self.run(steps, fall, rows, told)
        return layers_of(self.net.eval())


def layers_of(net):
    return folded(list(net), CONVOLUTIONS, HIDDEN)


def folded(parts, convolutions, units):
    """Convolutions with their normalisation folded in, and the dense layers, for channels last. `units`: of the first
    dense layer."""
    layers, count = [], 3 * len(convolutions)
    for convolution, norm in zip(parts[0:count:3], parts[1:count:3]):
        gain = (norm.weight / (norm.running_var + norm.eps).sqrt()).detach().double().numpy()
        weight = convolution.weight.detach().double().numpy().transpose(2, 3, 1, 0) * gain
        bias = norm.bias.detach().double().numpy() - norm.running_mean.double().numpy() * gain
        layers.append((np.float32(weight), np.float32(bias)))
    hidden, last = [part for part in parts[count:] if hasattr(part, "in_features")]
    channels = convolutions[-1][0]
    side = round((hidden.in_features / channels) ** 0.5)
    dense = hidden.weight.detach().numpy().reshape(units, channels, side, side).transpose(2, 3, 1, 0)
    layers.append((np.float32(dense.reshape(-1, units)), np.float32(hidden.bias.detach().numpy())))
    layers.append((np.float32(last.weight.detach().numpy().T), np.float32(last.bias.detach().numpy())))
    return layers


def see(layers, pictures, convolutions=CONVOLUTIONS):
    """The outputs for many crops: of press photographs N x 64 x 64, which are sampled linearly, or N x 48 x 48."""
    side = pictures.shape[1]
    place = np.clip((np.arange(SIDE) + 0.5) * side / SIDE - 0.5, 0, side - 1)
    weight = np.maximum(0, 1 - abs(place[:, None] - np.arange(side)))
    parts = [weight @ pictures[k : k + 256] @ weight.T for k in range(0, len(pictures), 256)]
    return np.concatenate([forward(layers, part, convolutions) for part in parts])


def press_rows(data):
    """The press photographs to learn from: a third of the training people. Thresholds are set on the others."""
    third = np.array([bucket("pixels-" + (p or c), 3) == 0 for p, c in zip(data.person, data.clip)])
    return data.training & third
