"""Reports how many of many different people a study takes for somebody else.

    python evaluate.py STUDY PEOPLE

STUDY is a folder that 'vidscan people' wrote for results of pictures, one of each person. PEOPLE is a CSV file with the columns
picture and group, such as that of a part of FairFace.
"""

import csv
import sys
from collections import Counter
from pathlib import Path


def main(study, people):
    groups = {row["picture"]: row["group"] for row in csv.DictReader(open(people))}
    rows = list(csv.DictReader(open(Path(study) / "people.csv")))
    faces = Counter(row["study_person_id"] for row in rows)
    shared = {Path(row["video"]).name for row in rows if faces[row["study_person_id"]] > 1}
    for group, count in sorted(Counter(groups.values()).items()):
        joined = sum(groups[picture] == group for picture in shared)
        print(f"{group:20} {joined:4} of {count:4}  {joined / count:6.1%}")
    print(f"{'all':20} {len(shared):4} of {len(groups):4}  {len(shared) / len(groups):6.1%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
