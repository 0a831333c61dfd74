"""The emotion network: from the pixels of an aligned face to the emotion that people name.

Trained with PyTorch, on one thread and from a fixed seed; `forward` and `evidence` are plain numpy, and are what
the shipped code must agree with.
"""

import io
import zipfile

import numpy as np
from PIL import Image

from data import bucket

SIDE = 64
CHANNELS = [1, 16, 24, 48, 64]
HIDDEN = 64
FLOOR = 4.0
LIMIT = 4.0
EMOTIONS = ["neutral", "joy", "surprise", "anger", "sadness", "disgust"]
EPOCHS = 24
BATCH = 128


class Crops:
    """The aligned faces as N x 64 x 64 grey pixels; `present` says which rows have any."""

    def __init__(self, path, count):
        self.pixels = np.zeros((count, SIDE, SIDE), np.uint8)
        self.present = np.zeros(count, bool)
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".jpg"):
                    row = int(name[-9:-4])
                    image = Image.open(io.BytesIO(archive.read(name))).convert("L")
                    self.pixels[row] = np.asarray(image.resize((SIDE, SIDE), Image.BOX))
                    self.present[row] = True


def forward(layers, pixels):
    """Six logits for each crop, N x 64 x 64 in 0...255. Layers: four convolutions (3, 3, in, out), two dense ones."""
    x = pixels.astype(np.float64)
    x = x - x.mean((1, 2), keepdims=True)
    x = (x / (x.std((1, 2), keepdims=True) + FLOOR))[..., None]
    for weight, bias in layers[:4]:
        half = x.shape[1] // 2
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        taps = [padded[:, dy : dy + 2 * half : 2, dx : dx + 2 * half : 2] for dy in range(3) for dx in range(3)]
        x = np.maximum(sum(t @ weight[k // 3, k % 3] for k, t in enumerate(taps)) + bias, 0)
    x = x.reshape(len(x), -1)
    (w, b), (v, c) = layers[4:]
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


def train(data, crops, rows, labels, mirrored_target, seed):
    """Fit on `rows`: to their emotion labels, and to the reference's scores, which every row has.

    The pictures are moved, turned, mirrored, blurred, lit anew and partly covered, because other cameras and other
    lamps should not matter.
    """
    import torch
    import torch.nn as nn
    import torch.nn.functional as F

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    rows = rows[crops.present[rows]]
    label = np.array([labels.index(e) if e in labels else -1 for e in data.emotion])
    image = torch.tensor(crops.pixels).float()[:, None]
    target, mirrored = torch.tensor(data.target).float(), torch.tensor(data.target[:, mirrored_target]).float()
    scores = data.target.shape[1]

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            pairs = list(zip(CHANNELS, CHANNELS[1:]))
            self.convolutions = nn.ModuleList([nn.Conv2d(a, b, 3, 2, 1) for a, b in pairs])
            self.norms = nn.ModuleList([nn.BatchNorm2d(b) for _, b in pairs])
            self.dense = nn.Linear(CHANNELS[-1] * 16, HIDDEN)
            self.out = nn.Linear(HIDDEN, len(EMOTIONS) + scores)
            self.drop = nn.Dropout(0.3)

        def forward(self, x):
            x = x - x.mean((2, 3), keepdim=True)
            x = x / (x.std((2, 3), keepdim=True, unbiased=False) + FLOOR)
            for convolution, norm in zip(self.convolutions, self.norms):
                x = F.relu(norm(convolution(x)))
            return self.out(self.drop(F.relu(self.dense(self.drop(x.flatten(1))))))

    def column(values):
        return torch.tensor(np.asarray(values, np.float32))[:, None, None, None]

    across, down = torch.meshgrid(torch.linspace(-1, 1, SIDE), torch.linspace(-1, 1, SIDE), indexing="xy")

    def changed(x, flip):
        n = len(x)
        angle, scale = rng.normal(0, 0.06, n), np.exp(rng.normal(0, 0.06, n))
        sign = np.where(flip, -1.0, 1.0)
        affine = np.zeros((n, 2, 3), np.float32)
        affine[:, 0, 0], affine[:, 0, 1] = scale * np.cos(angle) * sign, -scale * np.sin(angle)
        affine[:, 1, 0], affine[:, 1, 1] = scale * np.sin(angle) * sign, scale * np.cos(angle)
        affine[:, :, 2] = rng.normal(0, 0.03, (n, 2))
        grid = F.affine_grid(torch.tensor(affine), x.shape, align_corners=False)
        x = F.grid_sample(x, grid, padding_mode="border", align_corners=False)
        x = 255 * (x / 255).clamp(1e-3, 1) ** column(np.exp(rng.normal(0, 0.3, n)))
        light = column(rng.normal(0, 0.3, n)) * across + column(rng.normal(0, 0.25, n)) * down
        x = x * torch.exp(light + column(rng.normal(0, 0.3, n)) * torch.tanh(3 * across))
        if rng.random() < 0.5:
            small = int(rng.integers(18, 56))
            x = F.interpolate(x, (small, small), mode="bilinear", antialias=True, align_corners=False)
            x = F.interpolate(x, (SIDE, SIDE), mode="bilinear", align_corners=False)
        for k in np.where(rng.random(n) < 0.3)[0]:
            top, left, size = *rng.integers(0, SIDE - 8, 2), int(rng.integers(8, 24))
            x[k, :, top : top + size, left : left + size] = x[k].mean()
        return x + torch.randn_like(x) * column(rng.uniform(0, 8, n))

    net = Net()
    count = np.array([max(1, (label[rows] == k).sum()) for k in range(len(labels))])
    class_weight = torch.tensor(count**-0.6).float()
    class_weight /= class_weight.mean()
    score_weight = torch.tensor(1 / np.sqrt(data.target[rows].std(0) + 0.03)).float()
    score_weight /= score_weight.mean()
    # Film stills count less: their few actors would be learned instead of the emotions.
    trust = torch.tensor(np.where(data.film, 0.3, 1.0)).float()
    steps = EPOCHS * (len(rows) // BATCH)
    optimizer = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps, pct_start=0.1)
    for _ in range(EPOCHS):
        order = rng.permutation(rows)
        for start in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            flip = rng.random(len(chosen)) < 0.5
            o = net(changed(image[chosen], flip))
            wanted = torch.where(torch.tensor(flip)[:, None], mirrored[chosen], target[chosen])
            named, said = o[:, : len(EMOTIONS)], o[:, len(EMOTIONS) :]
            loss = 6 * (F.binary_cross_entropy_with_logits(said, wanted, reduction="none") * score_weight).mean()
            y = torch.tensor(label[chosen])
            w = trust[chosen] * class_weight[y.clamp(min=0)] * (y >= 0)
            loss = loss + (F.cross_entropy(named, y.clamp(min=0), reduction="none", label_smoothing=0.1) * w).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    net.eval()
    layers = []
    for convolution, norm in zip(net.convolutions, net.norms):
        gain = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach().double().numpy()
        weight = convolution.weight.detach().double().numpy().transpose(2, 3, 1, 0) * gain
        bias = (convolution.bias - norm.running_mean).detach().double().numpy() * gain + norm.bias.detach().double().numpy()
        layers.append((np.float32(weight), np.float32(bias)))
    # The dense layer reads channel by channel; what ships reads pixel by pixel.
    dense = net.dense.weight.detach().numpy().reshape(HIDDEN, CHANNELS[-1], 4, 4).transpose(2, 3, 1, 0)
    layers.append((np.float32(dense.reshape(-1, HIDDEN)), np.float32(net.dense.bias.detach().numpy())))
    last = len(EMOTIONS)
    layers.append((np.float32(net.out.weight.detach().numpy()[:last].T), np.float32(net.out.bias.detach().numpy()[:last])))
    return layers


def out_of_fold(data, crops, labels, mirrored_target, folds=2):
    """Logits of the training rows by networks that have not seen their person. Folds are by person and by clip."""
    logits = np.full((len(data.emotion), len(EMOTIONS)), np.nan)
    half = np.array([bucket("pixels-" + (p or c), folds) for p, c in zip(data.person, data.clip)])
    for fold in range(folds):
        rows = np.where(data.training & (half != fold))[0]
        test = np.where(data.training & (half == fold) & crops.present)[0]
        logits[test] = forward(train(data, crops, rows, labels, mirrored_target, fold), crops.pixels[test])
    return logits
