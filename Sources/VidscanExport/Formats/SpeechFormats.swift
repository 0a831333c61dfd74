internal import VidscanFaces

/// A TextGrid of Praat ("TextGrid file formats" in its manual), in the long text format and UTF-8.
///
/// An interval tier covers the whole time without gaps: intervals with an empty label fill them.
struct TextGrid {
    /// In milliseconds.
    private typealias Interval = (begin: Int64, end: Int64, label: String)

    let tiers: [Tier]
    /// The end of all tiers, in microseconds.
    let end: Int64

    /// Returns the intervals of a tier, from 0 to `end`, each of which begins where the one before ends.
    private func intervals(of tier: Tier) -> [Interval] {
        let last = ClockText.milliseconds(end)
        var intervals: [Interval] = []
        var position: Int64 = 0
        for annotation in tier.annotations {
            let (begin, end) = (annotation.beginMilliseconds, min(annotation.endMilliseconds, last))
            guard begin >= position, end > begin else { continue }
            if begin > position { intervals.append((position, begin, "")) }
            intervals.append((begin, end, annotation.label))
            position = end
        }
        if position < last || intervals.isEmpty { intervals.append((position, last, "")) }
        return intervals
    }

    func text() -> String {
        let xmax = ClockText.seconds(end)
        var lines = [
            "File type = \"ooTextFile\"", "Object class = \"TextGrid\"", "", "xmin = 0", "xmax = \(xmax)",
            tiers.isEmpty ? "tiers? <absent>" : "tiers? <exists>",
        ]
        if !tiers.isEmpty { lines += ["size = \(tiers.count)", "item []:"] }
        for (index, tier) in tiers.enumerated() {
            let intervals = intervals(of: tier)
            lines += [
                "    item [\(index + 1)]:", "        class = \"IntervalTier\"",
                "        name = \(Self.quoted(tier.name))", "        xmin = 0", "        xmax = \(xmax)",
                "        intervals: size = \(intervals.count)",
            ]
            for (index, interval) in intervals.enumerated() {
                lines += [
                    "        intervals [\(index + 1)]:",
                    "            xmin = \(ClockText.seconds(interval.begin * 1000))",
                    "            xmax = \(ClockText.seconds(interval.end * 1000))",
                    "            text = \(Self.quoted(interval.label))",
                ]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// In a TextGrid, two quotation marks stand for one.
    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }
}

/// Rich Transcription Time Marked (NIST, "The Rich Transcription Spring 2009 Evaluation Plan", appendix A), which describes
/// who speaks when. If a result does not know, its lines say who is in sight.
enum RTTM {
    /// `file`, not empty, names the recording. Spaces become underscores, unless two speakers would then share a name.
    static func text(_ tiers: [Tier], file: String, kind: Episode.Kind) -> String {
        let name = word(file)
        let speakers = Dictionary(grouping: Set(tiers.compactMap(\.speaker)), by: word)
        let lines = tiers.filter { $0.kind == kind }.flatMap { tier in
            let speaker = tier.speaker.map(word) ?? "<NA>"
            return tier.annotations.map { annotation in
                let number = speakers[speaker, default: []].count > 1 ? annotation.episode.personID : nil
                return (annotation: annotation, person: number.map { "person_\($0)" } ?? speaker)
            }
        }.sorted { Annotation.precedes($0.annotation, $1.annotation) }
        return lines.map { annotation, person in
            "SPEAKER \(name) 1 \(ClockText.seconds(annotation.begin)) \(annotation.durationText) <NA> <NA> \(person)"
                + " <NA> <NA>\n"
        }.joined()
    }

    private static func word(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            scalar.properties.isWhitespace || scalar.value < 0x20 || scalar.value == 0x7F ? "_" : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
