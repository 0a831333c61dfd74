#!/usr/bin/env python3
"""Compares the exports of a result (with --by face) with its tables, as other programs read them.

    scripts/check_export.py RESULT NAME

Needs pympi-ling, praatio and webvtt-py; scripts/check_export installs them.
"""
import csv
import json
import pathlib
import sys

import pympi
import webvtt
from praatio import textgrid


def rows(path, delimiter=","):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def expected(result):
    """The intervals that events.csv describes, in milliseconds: {(tier, begin, end)}, and the times of the cuts."""
    intervals, cuts, begun, names = set(), [], {}, {"face": "visible"}
    for row in rows(result / "events.csv"):
        time, kind, face, value = round(1000 * float(row["time"])), row["kind"], row["face_id"], row["value"]
        if kind == "shot_cut":
            cuts.append(time)
        elif kind.endswith("_started"):
            begun[kind[:-8], face] = time
        elif kind.endswith("_stopped"):
            name = names.get(kind[:-8], kind[:-8])
            intervals.add((f"{name}@face_{face}", begun.pop((kind[:-8], face)), time))
        else:
            intervals.add((f"{kind}@face_{face}", time, time + round(1000 * float(value))))
    assert not begun, begun
    return intervals, cuts


def check(what, found, wanted):
    """Ends may differ by a millisecond, because durations have three decimals."""
    found, wanted = sorted(found), sorted(wanted)
    assert len(found) == len(wanted), f"{what}: {len(found)} instead of {len(wanted)}"
    for one, other in zip(found, wanted):
        assert one[0] == other[0] and all(abs(a - b) <= 1 for a, b in zip(one[1:], other[1:])), f"{what}: {one}, {other}"


def main():
    result, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    intervals, cuts = expected(result)
    assert len(intervals) > 5 and cuts
    duration = round(1000 * json.loads((result / "run.json").read_text())["video"]["duration_seconds"])
    edges = [0, *cuts, duration]
    everything = intervals | {("shot", begin, end) for begin, end in zip(edges, edges[1:])}

    # What is cut off looks cut off.
    marks = {("0", "1"): " (cut off at the start)", ("1", "0"): " (cut off at the end)", ("0", "0"): " (cut off at both ends)"}
    labels = sorted(
        (f"{row['kind']}@face_{row['face_id']}", row["kind"] + marks.get((row["start_seen"], row["end_seen"]), ""))
        for row in rows(result / "episodes.csv") if row["kind"] != "shot"
    )
    assert len({label for _, label in labels if "cut off" in label}) > 0, "nothing is cut off"

    document = pympi.Elan.Eaf(str(result / f"{name}.eaf"))
    media = document.get_linked_files()
    assert len(media) == 1 and media[0]["MIME_TYPE"] == "video/mp4", media
    assert pathlib.Path(media[0]["MEDIA_URL"].removeprefix("file://")).exists(), media
    assert (result / media[0]["RELATIVE_MEDIA_URL"]).exists(), media
    check("ELAN", {
        (tier, begin, end) for tier in document.get_tier_names()
        for begin, end, *_ in document.get_annotation_data_for_tier(tier)
    }, everything)
    written = sorted(
        (tier, label) for tier in document.get_tier_names() if tier != "shot"
        for _, _, label, *_ in document.get_annotation_data_for_tier(tier)
    )
    assert written == labels, "the labels of ELAN are not those of episodes.csv"

    grid = textgrid.openTextgrid(str(result / f"{name}.TextGrid"), includeEmptyIntervals=True, reportingMode="error")
    found = set()
    for tier in grid.tiers:
        assert tier.minTimestamp == 0 and abs(1000 * tier.maxTimestamp - duration) < 1, tier.name
        assert all(a.end == b.start for a, b in zip(tier.entries, tier.entries[1:])), f"{tier.name} has gaps"
        found |= {(tier.name, round(1000 * e.start), round(1000 * e.end)) for e in tier.entries if e.label}
    check("TextGrid", found, everything)

    def milliseconds(text):
        hours, minutes, seconds = text.split(":")
        return round(1000 * (3600 * int(hours) + 60 * int(minutes) + float(seconds)))

    captions = webvtt.read(str(result / f"{name}.vtt"))
    check("WebVTT", [
        (cue.identifier.rsplit(" ", 1)[0], milliseconds(cue.start), milliseconds(cue.end)) for cue in captions
    ], everything)
    assert {cue.voice for cue in captions} == {None, "Face 1", "Face 2"}, {cue.voice for cue in captions}
    boxes = webvtt.read(str(result / f"{name}.metadata.vtt"))
    drawn = [
        (milliseconds(cue.start), face["face_id"], *(face[key] for key in ("x", "y", "width", "height")))
        for cue in boxes for face in json.loads(cue.text)["faces"]
    ]
    faces = [
        (round(1000 * float(row["time"])), int(row["face_id"]), *(float(row[key]) for key in ("x", "y", "width", "height")))
        for row in rows(result / "faces.csv")
    ]
    assert drawn == faces, "the boxes of the metadata track are not those of faces.csv"

    events = rows(result / f"{name}_events.tsv", "\t")
    description = json.loads((result / f"{name}_events.json").read_text())
    assert list(description) == list(events[0]) and list(events[0])[:2] == ["onset", "duration"]
    assert {row["trial_type"] for row in events} <= set(description["trial_type"]["Levels"])
    assert sorted((e["start_seen"], e["end_seen"]) for e in events) == sorted(
        (row["start_seen"], row["end_seen"]) for row in rows(result / "episodes.csv"))
    check("BIDS", [
        (
            row["trial_type"] + ("" if row["face_id"] == "n/a" else f"@face_{row['face_id']}"),
            round(1000 * float(row["onset"])), round(1000 * (float(row["onset"]) + float(row["duration"]))),
        ) for row in events
    ], everything)

    lines = [line.split() for line in (result / f"{name}.rttm").read_text().splitlines()]
    assert all(len(line) == 10 and line[0] == "SPEAKER" and line[1] == name for line in lines), lines
    check("RTTM", [
        (f"visible@{line[7]}", round(1000 * float(line[3])), round(1000 * (float(line[3]) + float(line[4])))) for line in lines
    ], {one for one in intervals if one[0].startswith("visible@")})
    print(f"export: {len(everything)} annotations and {len(faces)} boxes are the same in every format")


main()
