internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// The record beside a video or picture with hidden faces: what was hidden when, how, and who was kept visible. It names
/// nobody, and has no path.
struct HidingRecord: Encodable {
    /// Who was to stay visible, as the user wrote it.
    struct Visible: Encodable {
        var keptPersonIds: [Int]?
        var hiddenPersonIds: [Int]?
        var keptFaceIds: [Int]
        var hiddenFaceIds: [Int]
        /// Missing if there are none.
        var keptFaceIdsRemovedByCorrections: [Int]?
        /// As required.
        var minimumPersonConfidence = ChosenFaces.minimumConfidence
    }

    struct Search: Encodable {
        var rate: String
        var accuracy: String
        var faces: String
        var minimumConfidence: Double
    }

    struct Frames: Encodable {
        var total: Int
        var withHiddenFaces: Int
        /// Frames that show a face that was to stay visible.
        var visible: Int
        var hiddenInDoubt: Int
        /// By reason; a frame may have several.
        var hiddenBy: [String: Int]
    }

    var vidscanVersion = Vidscan.version
    var method: String
    var shape: String
    var margin: Double
    /// Missing for methods without a strength.
    var strength: Double?
    var holdSeconds: Double
    var invert: Bool
    /// The original sound, with all voices.
    var copiesAudio: Bool
    var copiesSubtitles: Bool
    var search: Search
    /// Missing if nobody was to stay visible.
    var visible: Visible?
    var frames: Frames
    var hidden: [HiddenSpans.Span]

    init(_ anonymizer: Anonymizer, in transcoder: Transcoder, video: RenderOptions, analysis: RecordedSettings) {
        let (options, tally) = (anonymizer.options, anonymizer.tally)
        method = options.method.rawValue
        shape = options.shape.rawValue
        margin = options.margin
        strength = options.method == .blur || options.method == .pixelate ? options.resolvedStrength : nil
        holdSeconds = options.holdSeconds
        invert = options.isInverted
        copiesAudio = video.copiesAudio
        copiesSubtitles = video.copiesSubtitles
        search = Search(
            rate: analysis.sample.rate.description, accuracy: analysis.detect.accuracy.rawValue,
            faces: analysis.detect.faces.rawValue, minimumConfidence: analysis.detect.minConfidence)
        hidden = anonymizer.hiddenSpans.spans(startingAt: transcoder.startMicroseconds)
        let choice = options.visible
        if choice.keepsSomebody {
            var named = Visible(keptFaceIds: choice.keptFaces.sorted(), hiddenFaceIds: choice.hiddenFaces.sorted())
            switch choice.people {
            case .nobody: break
            case .only(let people): named.keptPersonIds = people.sorted()
            case .allBut(let people): named.hiddenPersonIds = people.sorted()
            }
            let shown = choice.keptFaces.intersection(anonymizer.removedFaces).sorted()
            if !shown.isEmpty { named.keptFaceIdsRemovedByCorrections = shown }
            visible = named
        }
        frames = Frames(
            total: transcoder.frameCount, withHiddenFaces: anonymizer.hiddenSpans.frameCount,
            visible: tally.visibleFrames, hiddenInDoubt: tally.doubtfulFrames,
            hiddenBy: Dictionary(uniqueKeysWithValues: tally.framesByDoubt.map { ($0.rawValue, $1) }))
    }

    /// - Parameter isInResult: whether the video has its usual name in the result's folder.
    static func path(of path: String, isInResult: Bool) -> String {
        isInResult ? (path as NSString).deletingPathExtension + ".json" : path + ".json"
    }
}

/// Successive frames in which at least one face was hidden.
struct HiddenSpans {
    struct Span: Encodable, Equatable {
        var fromSeconds: Double
        var toSeconds: Double
        var frames: Int
        /// The most faces hidden at once.
        var faces: Int
    }

    private var spans: [Span] = []
    /// Whether the previous frame belongs to the last span.
    private var isOpen = false

    var frameCount: Int { spans.reduce(0) { $0 + $1.frames } }

    /// On the clock of a video that begins later.
    func spans(startingAt microseconds: Int64) -> [Span] {
        let moved = { (seconds: Double) in (seconds * 1e6 - Double(microseconds)).rounded() / 1e6 }
        return spans.map { span in
            Span(
                fromSeconds: moved(span.fromSeconds), toSeconds: moved(span.toSeconds), frames: span.frames,
                faces: span.faces)
        }
    }

    /// Frames come in time order.
    mutating func add(faces: Int, at microseconds: Int64) {
        defer { isOpen = faces > 0 }
        guard faces > 0 else { return }
        let seconds = Double(microseconds) / 1e6
        if isOpen, var last = spans.popLast() {
            last.toSeconds = seconds
            last.frames += 1
            last.faces = max(last.faces, faces)
            spans.append(last)
        } else {
            spans.append(Span(fromSeconds: seconds, toSeconds: seconds, frames: 1, faces: faces))
        }
    }
}

/// In how many frames the faces that were to stay visible did, and why not in the others.
package struct VisibilityCount: Sendable, Equatable {
    package private(set) var visibleFrames = 0
    /// Frames in which such a face is hidden because of a doubt.
    package private(set) var doubtfulFrames = 0
    /// A frame may have several doubts.
    package private(set) var framesByDoubt: [Doubt: Int] = [:]

    /// `faces left visible in 12 frames, hidden in doubt in 3 frames`
    package var words: String {
        "faces left visible in \(NumberText.count(visibleFrames, "frame")), hidden in doubt in"
            + " \(NumberText.count(doubtfulFrames, "frame"))"
    }

    mutating func add(visibleFaces: Int, doubts: Set<Doubt>) {
        if visibleFaces > 0 { visibleFrames += 1 }
        if !doubts.isEmpty { doubtfulFrames += 1 }
        for doubt in doubts { framesByDoubt[doubt, default: 0] += 1 }
    }
}
