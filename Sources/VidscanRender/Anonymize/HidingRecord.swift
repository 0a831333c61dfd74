package import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// The record beside a video or picture with hidden faces: when and how faces were hidden, and which stayed visible. It
/// contains no names or paths.
enum HidingRecord {
    /// `digest` is the SHA-256 of the finished video, for which alone the record holds.
    static func text(
        _ anonymizer: Anonymizer, in transcoder: Transcoder, digest: String, video: RenderOptions,
        analysis: RecordedSettings, corrections: AppliedCorrections?, weaknesses: [String]
    ) throws(VidscanError) -> String {
        let (options, tally, detect) = (anonymizer.options, anonymizer.tally, analysis.detect)
        var record: [String: JSONValue] = [
            "vidscan_version": .text(Vidscan.version), "sha256": .text(digest),
            "method": .text(options.method.rawValue),
            "shape": .text(options.shape.rawValue), "margin": .number(options.margin),
            "hold_seconds": .number(options.holdSeconds), "invert": .flag(options.isInverted),
            // The original sound, with all voices.
            "copies_audio": .flag(video.copiesAudio), "copies_subtitles": .flag(video.copiesSubtitles),
            "search": .object([
                "rate": .text(analysis.sample.rate.description), "accuracy": .text(detect.accuracy.rawValue),
                "faces": .text(detect.faces.rawValue), "minimum_confidence": .number(detect.minConfidence),
            ]),
            "frames": .object([
                "total": .integer(transcoder.frameCount),
                "with_hidden_faces": .integer(anonymizer.hiddenSpans.frameCount),
                // Those that show a face that was to stay visible, and those that do not, with the reasons.
                "visible": .integer(tally.visibleFrames), "hidden_in_doubt": .integer(tally.doubtfulFrames),
                "hidden_by": .object(
                    Dictionary(uniqueKeysWithValues: tally.framesByDoubt.map { ($0.rawValue, .integer($1)) })),
            ]),
            "hidden": anonymizer.hiddenSpans.record(startingAt: transcoder.startMicroseconds),
            "visible_faces": anonymizer.visibleFaces.record(startingAt: transcoder.startMicroseconds),
        ]
        if [.blur, .pixelate].contains(options.method) { record["strength"] = .number(options.resolvedStrength) }
        if !weaknesses.isEmpty { record["weaknesses"] = .list(weaknesses.map { .text($0) }) }
        record["covers"] = anonymizer.covers.map {
            .object([
                "sha256": .text($0.sha256), "count": .integer($0.regions.count), "releases": .integer($0.releases),
                "released_frames": .integer(anonymizer.releasedFrames),
            ])
        }
        if options.visible.keepsSomebody {
            record["visible"] = .object(visible(options.visible, removedFaces: anonymizer.removedFaces))
            record["corrections"] = corrections.map { .text($0.sha256) }
        }
        return try RecordFile.text(JSONValue.object(record), name: "the record")
    }

    /// Who was to stay visible, as the user wrote it.
    private static func visible(_ choice: FaceChoice, removedFaces: Set<Int>) -> [String: JSONValue] {
        let list = { (ids: Set<Int>) in JSONValue.list(ids.sorted().map { .integer($0) }) }
        var visible: [String: JSONValue] = [
            "kept_face_ids": list(choice.keptFaces), "hidden_face_ids": list(choice.hiddenFaces),
            "minimum_person_confidence": .number(ChosenFaces.minimumConfidence),
        ]
        switch choice.people {
        case .nobody: break
        case .only(let people): visible["kept_person_ids"] = list(people)
        case .allBut(let people): visible["hidden_person_ids"] = list(people)
        }
        let shown = choice.keptFaces.intersection(removedFaces)
        if !shown.isEmpty { visible["kept_face_ids_removed_by_corrections"] = list(shown) }
        return visible
    }
}

/// Successive frames in which at least one face was hidden.
struct HiddenSpans {
    /// In microseconds. `faces` is the most that were hidden at once.
    private var spans: [(from: Int64, to: Int64, frames: Int, faces: Int)] = []
    /// Whether the previous frame belongs to the last span.
    private var isOpen = false

    var frameCount: Int { spans.reduce(0) { $0 + $1.frames } }

    /// On the clock of a video that begins at `start`.
    func record(startingAt start: Int64) -> JSONValue {
        let seconds = { (microseconds: Int64) in JSONValue.number(Double(microseconds - start) / 1e6) }
        return .list(
            spans.map { span in
                .object([
                    "from_seconds": seconds(span.from), "to_seconds": seconds(span.to),
                    "frames": .integer(span.frames), "faces": .integer(span.faces),
                ])
            })
    }

    mutating func add(faces: Int, at microseconds: Int64) {
        defer { isOpen = faces > 0 }
        guard faces > 0 else { return }
        let last = isOpen ? spans.popLast() : nil
        spans.append((last?.from ?? microseconds, microseconds, (last?.frames ?? 0) + 1, max(last?.faces ?? 0, faces)))
    }
}

/// Where faces stay visible, for `verify`, which does not report them.
package struct VisibleFaces {
    /// Longer parts would cover much more than a face that moves. In microseconds.
    private static let longest: Int64 = 500_000
    private var parts: [(from: Int64, to: Int64, box: Rectangle)] = []
    /// The last part of each face.
    private var last: [Int: Int] = [:]
    private var lastFrame: Int64?

    package init() {}

    /// Adds the faces of the next frame, in pixels of the new video.
    package mutating func add(_ faces: [(id: Int, box: Rectangle)], at microseconds: Int64) {
        for (id, box) in faces {
            if let index = last[id], parts[index].to == lastFrame, microseconds - parts[index].from <= Self.longest {
                parts[index].to = microseconds
                parts[index].box = Rectangle(around: parts[index].box.corners + box.corners)
            } else {
                last[id] = parts.count
                parts.append((microseconds, microseconds, box))
            }
        }
        lastFrame = microseconds
    }

    /// First and last time in seconds, left and top edge, width and height.
    package func record(startingAt start: Int64) -> JSONValue {
        .list(
            parts.map { part in
                let times = [part.from, part.to].map { Double($0 - start) / 1e6 }
                let box = [part.box.x, part.box.y, part.box.width, part.box.height].map { ($0 * 10).rounded() / 10 }
                return .list((times + box).map { .number($0) })
            })
    }
}

/// In how many frames the faces that were to stay visible did, and why not in the others.
package struct VisibilityCount: Sendable, Equatable {
    package private(set) var visibleFrames = 0
    /// Frames in which such a face is hidden because of a doubt.
    package private(set) var doubtfulFrames = 0
    /// A frame may have several doubts.
    package private(set) var framesByDoubt: [Doubt: Int] = [:]
    /// Faces that are hidden because they may be somebody else's.
    private var unconfirmedFaces: Set<Int> = []

    package init() {}

    /// `faces left visible in 12 frames, hidden in doubt in 3 frames`
    package var words: String {
        "faces left visible in \(NumberText.count(visibleFrames, "frame")), hidden in doubt in"
            + " \(NumberText.count(doubtfulFrames, "frame"))"
    }

    /// Why faces are hidden in doubt, and what to try; `nil` if none is.
    package var reasons: String? {
        guard doubtfulFrames > 0 else { return nil }
        let counts = Doubt.allCases.compactMap { doubt in
            framesByDoubt[doubt].map { "\(NumberText.count($0, "frame")) \(doubt.words)" }
        }
        let ids = unconfirmedFaces.sorted()
        let named = ids.prefix(20).map { "\($0)" }.joined(separator: ",") + (ids.count > 20 ? ",…" : "")
        return "hidden in doubt: \(counts.joined(separator: ", "))"
            + (ids.isEmpty
                ? ""
                : "; if you know the face, name it there in a same_person correction, or give --keep-face \(named)")
    }

    /// - Parameter doubts: By face_id.
    package mutating func add(visibleFaces: Int, doubts: [Int: Doubt]) {
        if visibleFaces > 0 { visibleFrames += 1 }
        if !doubts.isEmpty { doubtfulFrames += 1 }
        for doubt in Set(doubts.values) { framesByDoubt[doubt, default: 0] += 1 }
        unconfirmedFaces.formUnion(doubts.filter { [.uncertainPerson, .unconfirmed].contains($0.value) }.keys)
    }
}
