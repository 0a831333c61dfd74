"""Summarises the embeddings of many different people in 32 mean directions, to which faces are compared.

    python strangers.py RESULTS OUTPUT

RESULTS is a folder of results made with 'vidscan batch PICTURES --people --output RESULTS', a picture for each person;
OUTPUT is Sources/VidscanFaces/Data/strangers.i8. Run it in a virtual environment with requirements.txt. The shipped file was
made from 2,100 pictures of FairFace's training part (CC BY 4.0; Kaerkkaeinen and Joo 2021), 300 from each of its seven groups.
A mean of about sixty people resembles none of them.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

COUNT, SCALE = 32, 512


def main(results, output):
    faces = []
    for path in sorted(Path(results).glob("*.vidscan/embeddings.npy")):
        rows = np.load(path)
        if len(rows):
            faces.append(rows["embedding"][rows["weight"].argmax()])
    means = KMeans(COUNT, n_init=4, random_state=0).fit(np.array(faces)).cluster_centers_
    values = (means * SCALE).round()
    assert abs(values).max() <= 127
    values.astype(np.int8).tofile(output)
    nearest = np.sort(1 - np.array(faces) @ (values / SCALE).T, 1)[:, :3].mean()
    print(f"{len(faces)} people; mean distance to the three nearest means {nearest:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
