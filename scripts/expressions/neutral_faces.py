"""What people's faces look like at rest: writes Sources/VidscanFaces/Baseline/NeutralFaces.swift.

    python neutral_faces.py expressions.npz faces.zip

For each expression, the median of a person's neutral pictures, over all people with five such pictures or more: its
median and its 95th percentile over the people. Run it again whenever expressions.json changes.
"""

import collections
import re
import sys
import textwrap

import numpy as np

import face
import formulas
import pixels
from reference import RESOURCES, ROOT, Model

TARGET = ROOT / "Sources/VidscanFaces/Baseline/NeutralFaces.swift"
# The head's direction is no trait, and the eyes have their own open level.
WITHOUT_LEVEL = {"attention", "eye_closure"}
PICTURES = 5


def levels(path, archive):
    """The typical and the highest level of each expression, and the number of people."""
    data = np.load(path)
    source = [str(s) for s in data["source"]]
    person = np.array(["" if "#" in s or "facial-expr" in s else re.sub(r"_?\d+\.jpg$", "", s) for s in source])
    crops = pixels.Crops(archive, len(person))
    neutral = (person != "") & (data["emotion"] == "neutral") & crops.present
    people = sorted(p for p, n in collections.Counter(person[neutral]).items() if n >= PICTURES)
    model = Model(RESOURCES)
    scores, aligned, rotation = model.blendshapes(data["mesh"][neutral].astype(np.float64))
    evidence = pixels.evidence(pixels.see(model.layers("stem", "emotion_head"), crops.pixels[neutral]))
    found = formulas.expressions(model.constants, scores, face.measures(aligned, rotation), evidence)
    rows = {p: person[neutral] == p for p in people}
    result = {}
    for name, values in sorted(found.items()):
        if name in WITHOUT_LEVEL:
            continue
        medians = [np.median(values[rows[p]]) for p in people]
        result[name] = (np.median(medians), np.percentile(medians, 95))
    return result, len(people)


def main():
    found, people = levels(*sys.argv[1:3])
    lines = [
        f"/// 0…100, from `scripts/expressions/neutral_faces.py`: {people} people with at least {PICTURES} pictures labelled neutral.",
        "enum NeutralFaces {",
        "    /// The median over the people, and what one person in twenty exceeds.",
        "    static let levels: [Metric: (typical: Double, highest: Double)] = [",
    ]
    levels_by_case = []
    for name, (typical, highest) in found.items():
        head, *tail = name.split("_")
        case = head + "".join(word.capitalize() for word in tail)
        # Breaks only between expressions.
        levels_by_case.append(f".{case}:\xa0({typical:.1f},\xa0{highest:.1f}),")
    indent = " " * 8
    table = textwrap.fill(" ".join(levels_by_case), 120, initial_indent=indent, subsequent_indent=indent)
    lines += [table.replace("\xa0", " "), "    ]", "}", ""]
    TARGET.write_text("\n".join(lines))
    print(f"{TARGET.relative_to(ROOT)}: {len(found)} expressions of {people} people")


if __name__ == "__main__":
    main()
