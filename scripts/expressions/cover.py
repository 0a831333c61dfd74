"""What covers a face: a second head of the network of the pixels, from its stem to the log odds that the mouth and the
eyes are covered.

It learns from portraits with and without masks, and from faces over which masks, hands, cups and sunglasses are drawn.
Spectacles, and things at the edge of the crop, are drawn as well: they cover nothing.
"""

import numpy as np
from PIL import Image, ImageDraw

import pixels

OUTPUTS = ["mouth_covered", "eyes_covered"]
CONVOLUTIONS = pixels.CONVOLUTIONS[: pixels.STEM] + [(64, 2), (96, 2)]
HIDDEN = 64
STEPS, BATCH, RATE = 6000, 128, 3e-3
# A face counts as covered, 50, from where this fraction of bare faces is.
FALSE_ALARMS = 0.01
# Copies of each picture, and how often those of each source are shown.
COPIES = {"press": 4, "portrait": 8}
OFTEN = {"press": 1.0, "portrait": 2.0, "mask": 4.0}
# Of the portraits that set the thresholds, those in which something does hide the mouth or the eyes, by eye.
COVERED_TO_THE_EYE = {
    "mouth_covered": "01635 00447 00394 00133 01391 02090 01173",
    "eyes_covered": "01352 00282 00959 00550 00560 01421 00904 01694 01159 01628 00221 01523 01848 01872 00381 01417 01919"
    " 01381 01684 02080 01455",
}
SIDE = pixels.SOURCE_SIDE
EYES_AT, EYE_LEVEL, MIDDLE, MOUTH_LEVEL = (21.5, 42.5), 25.0, 32.0, 46.0


def plane(width, height, centre, power=2):
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    return np.exp(-((((x - centre[0]) / width) ** 2 + ((y - centre[1]) / height) ** 2) ** power)) > 0.5


MOUTH = plane(9, 4.5, (MIDDLE, MOUTH_LEVEL))
EYES = [plane(5, 3, (x, EYE_LEVEL)) for x in EYES_AT]


class Painter:
    """Draws things over 64 x 64 grey crops. Each method returns an opacity, 0...1, and a texture, both 64 x 64."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.y, self.x = np.mgrid[0:SIDE, 0:SIDE].astype(float)

    def noise(self, amplitude, size):
        count = max(2, int(SIDE / size))
        coarse = Image.fromarray(np.float32(self.rng.normal(0, amplitude, (count, count))))
        return np.asarray(coarse.resize((SIDE, SIDE), Image.BICUBIC))

    def drawn(self, draw):
        image = Image.new("L", (4 * SIDE, 4 * SIDE))
        draw(ImageDraw.Draw(image))
        return np.asarray(image.resize((SIDE, SIDE), Image.BOX)) / 255

    def slope(self, strength):
        uniform = self.rng.uniform
        return (self.y - MIDDLE) * uniform(-strength, strength) + (self.x - MIDDLE) * uniform(-strength, strength)

    def hand(self, x, y, skin):
        """One to four fingers side by side, perhaps with a palm."""
        rng = self.rng
        angle, width, length = rng.uniform(0, np.pi), rng.uniform(5, 10), rng.uniform(20, 50)
        along = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-along[1], along[0]])
        opacity, texture = np.zeros((SIDE, SIDE)), np.zeros((SIDE, SIDE))
        count = rng.integers(1, 5)
        for k in range(count):
            centre = np.array([x, y]) + across * (k - (count - 1) / 2) * width * 0.95 + along * rng.uniform(-4, 4)
            a = (self.x - centre[0]) * along[0] + (self.y - centre[1]) * along[1]
            b = (self.x - centre[0]) * across[0] + (self.y - centre[1]) * across[1]
            finger = np.clip((width / 2 - np.hypot(np.maximum(abs(a) - length / 2, 0), b)) / 0.8 + 0.5, 0, 1)
            shade = skin * (1 - 0.35 * np.clip(abs(b) / (width / 2), 0, 1) ** 2) + rng.normal(0, 4)
            texture = np.where(finger > opacity * 0.999, shade, texture)
            opacity = np.maximum(opacity, finger)
        if rng.random() < 0.6:
            centre, radius = np.array([x, y]) + along * rng.choice([-1, 1]) * length / 2, rng.uniform(8, 16)
            palm = np.clip(radius - np.hypot(self.x - centre[0], self.y - centre[1]) + 0.5, 0, 1)
            texture = np.where(palm > opacity, skin * 0.95, texture)
            opacity = np.maximum(opacity, palm)
        return opacity, texture

    def mask(self):
        rng, jitter = self.rng, self.rng.normal
        top, wide = rng.uniform(29, 39), rng.uniform(24, 34)
        points = [
            (MIDDLE - wide + jitter(), top + rng.uniform(-2, 6)), (MIDDLE - 8 + jitter(), top + rng.uniform(-4, 2)),
            (MIDDLE, top - rng.uniform(0, 5)), (MIDDLE + 8 + jitter(), top + rng.uniform(-4, 2)),
            (MIDDLE + wide + jitter(), top + rng.uniform(-2, 6)), (MIDDLE + wide * 0.85, 54 + jitter(0, 2)),
            (MIDDLE + 10, SIDE), (MIDDLE - 10, SIDE), (MIDDLE - wide * 0.85, 54 + jitter(0, 2)),
        ]
        opacity = self.drawn(lambda d: d.polygon([(4 * x, 4 * y) for x, y in points], fill=255))
        texture = rng.uniform(5, 250) + self.noise(rng.uniform(2, 20), rng.uniform(4, 20)) + self.slope(1.2)
        if rng.random() < 0.35:
            folds = np.sign(np.sin(self.y * rng.uniform(0.4, 1.5) + rng.uniform(0, 6)))
            texture = texture + rng.uniform(5, 40) * folds
        return opacity, texture

    def cup(self):
        """A microphone, a cup or food, often with something below."""
        rng = self.rng
        radius = rng.uniform(9, 18)
        height = radius * rng.uniform(0.7, 1.4)
        x, y = MIDDLE + rng.normal(0, 4), MOUTH_LEVEL + 1 + rng.normal(0, 4)
        from_centre = np.hypot((self.x - x) / radius, (self.y - y) / height)
        opacity = np.clip((1 - from_centre) * radius + 0.5, 0, 1)
        texture = rng.uniform(5, 240) * (1 - 0.3 * from_centre**2) + self.noise(rng.uniform(2, 15), 4)
        if rng.random() < 0.7:
            leaning = abs(self.x - x - (self.y - y) * rng.uniform(-0.7, 0.7)) < radius * 0.6
            opacity = np.maximum(opacity, leaning & (self.y > y))
        return opacity, texture

    def glasses(self, frame_only):
        """Sunglasses, or spectacles through which the eyes are seen."""
        rng = self.rng
        wide, high, apart = rng.uniform(9, 13.5), rng.uniform(6, 10), rng.uniform(10, 12)
        level, rounded = EYE_LEVEL + rng.uniform(-1, 3), rng.uniform(0.2, 1)
        bridge, rim = int(rng.uniform(4, 12)), int(rng.uniform(3, 9))

        def draw(d):
            for side in (-1, 1):
                x = MIDDLE + side * apart
                box = [4 * (x - wide), 4 * (level - high), 4 * (x + wide), 4 * (level + high)]
                look = {"outline": 255, "width": rim} if frame_only else {"fill": 255}
                if rounded > 0.6:
                    d.ellipse(box, **look)
                else:
                    d.rounded_rectangle(box, radius=4 * rounded * high, **look)
                if not frame_only:
                    temple = [(0 if side < 0 else 4 * SIDE, 4 * (level - high * 0.6)),
                              (4 * (x + side * wide * 0.8), 4 * (level - high * 0.6))]
                    d.line(temple, fill=255, width=bridge)
            inner = apart - wide if frame_only else apart
            d.line([(4 * (MIDDLE - inner), 4 * (level - high / 2)), (4 * (MIDDLE + inner), 4 * (level - high / 2))],
                   fill=255, width=bridge)

        if frame_only:
            return self.drawn(draw) * rng.uniform(0.5, 1), np.full((SIDE, SIDE), rng.uniform(0, 120))
        tone = rng.uniform(2, 70) if rng.random() < 0.85 else rng.uniform(70, 200)
        reflection = (self.y - EYE_LEVEL) * rng.uniform(-1, 3) * rng.random()
        return self.drawn(draw) * rng.uniform(0.85, 1), tone + reflection + self.noise(rng.uniform(1, 12), 8)

    def bar(self):
        rng = self.rng
        level, half, lean = EYE_LEVEL + rng.normal(0, 2), rng.uniform(6, 11), rng.normal(0, 0.15)
        opacity = np.clip(half - abs(self.y - level - (self.x - MIDDLE) * lean) + 0.5, 0, 1)
        return opacity, rng.uniform(0, 255) + self.noise(rng.uniform(2, 20), 8)

    def over_mouth(self, crop):
        kind, skin = self.rng.random(), np.median(crop[24:44, 16:48])
        if kind < 0.45:
            return self.mask()
        if kind < 0.8:
            return self.hand(MIDDLE + self.rng.normal(0, 5), MOUTH_LEVEL - 1 + self.rng.normal(0, 4), self.near(skin))
        return self.cup()

    def over_eyes(self, crop):
        kind, skin = self.rng.random(), np.median(crop[30:44, 20:44])
        if kind < 0.6:
            return self.glasses(frame_only=False)
        if kind < 0.9:
            return self.hand(MIDDLE + self.rng.normal(0, 4), EYE_LEVEL + self.rng.normal(0, 3), self.near(skin))
        return self.bar()

    def near(self, skin):
        return np.clip(skin * self.rng.uniform(0.7, 1.2), 20, 250)

    def paint(self, crop):
        """The crop with something over it, or not, and the labels of mouth and eyes: NaN where only a part is hidden."""
        rng, crop, hidden = self.rng, crop.astype(float), np.zeros((SIDE, SIDE))
        chance = rng.random()
        things = []
        if chance < 0.06:
            things.append((self.glasses(frame_only=True), False))
        if 0.24 < chance < 0.3:
            edge = [(rng.uniform(0, 8), rng.uniform(5, 60)), (rng.uniform(56, 64), rng.uniform(5, 60)),
                    (rng.uniform(10, 54), rng.uniform(2, 8))][rng.integers(3)]
            things.append((self.hand(*edge, np.median(crop)), True))
        if 0.3 < chance < 0.62 or chance > 0.93:
            things.append((self.over_mouth(crop), True))
        if chance > 0.6:
            things.append((self.over_eyes(crop), True))
        for (opacity, texture), hides in things:
            crop = crop * (1 - opacity) + np.clip(texture, 0, 255) * opacity
            if hides:
                hidden = np.maximum(hidden, opacity)
        mouth, eyes = hidden[MOUTH].mean(), [hidden[eye].mean() for eye in EYES]
        return crop, [1 if mouth > 0.6 else 0 if mouth < 0.15 else np.nan,
                      1 if min(eyes) > 0.6 else 0 if max(eyes) < 0.2 else np.nan]

    def continued(self, crop):
        """As where the frame ends below the mouth: the last line goes on."""
        crop = crop.copy()
        if self.rng.random() < 0.5:
            last = self.rng.integers(46, 62)
            crop[last:] = crop[last]
        if self.rng.random() < 0.2:
            last = self.rng.integers(50, 62)
            crop[:, last:] = crop[:, last : last + 1]
        return crop


def examples(data, crops, portraits, suspected):
    """Crops, labels of mouth and eyes (NaN: unknown), and how often each is shown."""
    painter = Painter(10)
    shown, labels, often = [], [], []

    def add(crop, label, source):
        shown.append(np.uint8(np.clip(crop, 0, 255)))
        labels.append(label)
        often.append(OFTEN[source])

    for copy in range(COPIES["press"]):
        for row in np.where(crops.present & data.training)[0]:
            crop, label = painter.paint(crops.pixels[row])
            add(painter.continued(crop) if copy % 2 else crop, label, "press")
    for copy in range(COPIES["portrait"]):
        for row in np.where(learned_from(portraits) & ~suspected)[0]:
            crop = portraits["crop"][row]
            if portraits["covered"][row]:
                label = [1, np.nan]
            else:
                crop, label = painter.paint(crop)
            source = "mask" if in_masks(portraits)[row] else "portrait"
            add(painter.continued(crop) if copy % 2 else crop, label, source)
    return np.array(shown), np.float32(labels), np.array(often)


def in_masks(portraits):
    return np.array([name.startswith(("with_mask/", "without_mask/")) for name in portraits["name"]])


def held_back(portraits):
    """Every other portrait of FairFace sets the thresholds."""
    return ~in_masks(portraits) & (np.arange(len(portraits["name"])) % 2 == 1) & (abs(portraits["yaw"]) <= 40)


def learned_from(portraits):
    return in_masks(portraits) | (np.arange(len(portraits["name"])) % 2 == 0)


class Trainer:
    def __init__(self, stem, seed=10, threads=pixels.THREADS):
        import torch

        torch.set_num_threads(threads)
        torch.manual_seed(seed)
        self.torch, self.rng = torch, np.random.default_rng(seed)
        self.stem = [(torch.tensor(np.float32(w)).permute(3, 2, 0, 1), torch.tensor(np.float32(b)), stride)
                     for (w, b), (_, stride) in zip(stem, pixels.CONVOLUTIONS)]
        nn, parts, inputs, side = torch.nn, [], CONVOLUTIONS[pixels.STEM - 1][0], pixels.SIDE
        for _, stride in CONVOLUTIONS:
            side //= stride
        for outputs, stride in CONVOLUTIONS[pixels.STEM :]:
            parts += [nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
            inputs = outputs
        parts += [nn.Flatten(), nn.Dropout(0.3), nn.Linear(inputs * side * side, HIDDEN), nn.ReLU(),
                  nn.Linear(HIDDEN, len(OUTPUTS))]
        self.net = nn.Sequential(*parts)

    def placed(self, count):
        """Moved by up to 4 %, turned by up to 10 degrees, 10 % larger or smaller, half of them mirrored."""
        uniform = lambda bound: self.rng.uniform(-bound, bound, count)
        angle, scale = np.radians(uniform(10)), np.exp(uniform(0.1))
        sign = np.where(self.rng.random(count) < 0.5, -1.0, 1.0)
        maps = np.zeros((count, 2, 3))
        maps[:, 0, 0], maps[:, 0, 1] = scale * np.cos(angle) * sign, -scale * np.sin(angle)
        maps[:, 1, 0], maps[:, 1, 1] = scale * np.sin(angle) * sign, scale * np.cos(angle)
        maps[:, 0, 2], maps[:, 1, 2] = uniform(0.08), uniform(0.08)
        return self.torch.tensor(np.float32(maps))

    def cut(self, crops, maps):
        F = self.torch.nn.functional
        grid = F.affine_grid(maps, (len(crops), 1, pixels.SIDE, pixels.SIDE), align_corners=False)
        pictures = self.torch.tensor(crops)[:, None].float()
        return F.grid_sample(pictures, grid, padding_mode="border", align_corners=False)

    def relit(self, x):
        torch, F, rng, n, side = self.torch, self.torch.nn.functional, self.rng, len(x), pixels.SIDE
        column = lambda values: torch.tensor(np.asarray(values, np.float32))[:, None, None, None]
        across, down = torch.meshgrid(torch.linspace(-1, 1, side), torch.linspace(-1, 1, side), indexing="xy")
        x = 255 * (x / 255).clamp(1e-3, 1) ** column(np.exp(rng.normal(0, 0.25, n)))
        x = x * torch.exp(column(rng.normal(0, 0.2, n)) * across + column(rng.normal(0, 0.2, n)) * down)
        blurred, small = torch.tensor(rng.random(n) < 0.3), int(rng.integers(20, 44))
        y = F.interpolate(x[blurred], (small, small), mode="bilinear", antialias=True, align_corners=False)
        x[blurred] = F.interpolate(y, (side, side), mode="bilinear", align_corners=False)
        return x + torch.randn_like(x) * column(rng.uniform(0, 5, n))

    def stemmed(self, x):
        F = self.torch.nn.functional
        x = x - x.mean((2, 3), keepdim=True)
        x = x / (x.std((2, 3), keepdim=True, unbiased=False) + pixels.FLOOR)
        with self.torch.no_grad():
            for weight, bias, stride in self.stem:
                x = F.relu(F.conv2d(x, weight, bias, stride, 1))
        return x

    def learn(self, crops, labels, often, steps, told):
        torch, F = self.torch, self.torch.nn.functional
        labels, chance = torch.tensor(labels), np.cumsum(often / often.sum())
        optimizer = torch.optim.AdamW(self.net.parameters(), lr=RATE, weight_decay=0.03)
        rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.1)
        self.net.train()
        for step in range(steps):
            rows = np.minimum(np.searchsorted(chance, self.rng.random(BATCH)), len(crops) - 1)
            output = self.net(self.stemmed(self.relit(self.cut(crops[rows], self.placed(BATCH)))))
            target = labels[rows]
            known = ~target.isnan()
            loss = F.binary_cross_entropy_with_logits(output, target.nan_to_num(0), reduction="none") * known
            loss = (loss.sum(0) / known.sum(0).clamp(min=1)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            rate.step()
            if step % 250 == 0:
                told(f"covers, {step} of {steps}: {loss.item():.4f}")
        self.net.eval()

    def logits(self, crops):
        torch, still = self.torch, np.float32(np.eye(3)[:2])
        with torch.no_grad():
            return np.concatenate([
                self.net(self.stemmed(self.cut(part, torch.tensor(np.repeat(still[None], len(part), 0))))).numpy()
                for part in (crops[k : k + 256] for k in range(0, len(crops), 256))
            ])

    def layers(self):
        return pixels.folded(list(self.net), CONVOLUTIONS[pixels.STEM :], HIDDEN)


def train(stem, data, crops, portraits, told=print):
    """The layers of the head. `portraits`: of portraits.py."""
    bare = ~portraits["covered"]
    trainer = Trainer(stem)
    trainer.learn(*examples(data, crops, portraits, np.zeros(len(bare), bool)), STEPS // 3, told)
    # Some people in the portraits hold a hand or a cup before the face, or wear sunglasses.
    suspected = bare & (trainer.logits(portraits["crop"]).max(1) > 1.5)
    told(f"covers: {suspected.sum()} bare portraits left out")
    trainer = Trainer(stem)
    trainer.learn(*examples(data, crops, portraits, suspected), STEPS, told)
    layers = trainer.layers()
    return placed(stem, layers, portraits)


def placed(stem, layers, portraits):
    """The layers, with 50 where one bare face in a hundred is."""
    rows = held_back(portraits)
    found = pixels.see(list(stem) + layers, portraits["crop"][rows], CONVOLUTIONS)
    names = np.array([name.split("/")[-1].split(".")[0] for name in portraits["name"][rows]])
    edges = [np.quantile(found[~np.isin(names, COVERED_TO_THE_EYE[output].split()), k], 1 - FALSE_ALARMS)
             for k, output in enumerate(OUTPUTS)]
    weight, bias = layers[-1]
    return [*layers[:-1], (weight, np.float32(bias - edges))]
