internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The record of a video or picture in which faces are hidden, which is written beside it: what was hidden when, how, and
/// who was kept visible. It names nobody, and has no path.
struct HidingRecord: Encodable {
    /// Who was to stay visible, as the user wrote it.
    struct Visible: Encodable {
        var keptPersonIds: [Int]?
        var hiddenPersonIds: [Int]?
        var keptFaceIds: [Int]
        var hiddenFaceIds: [Int]
        /// Those of the kept ones that corrections had removed; missing if there are none.
        var keptFaceIdsRemovedByCorrections: [Int]?
        /// The `person_confidence` that was required.
        var minimumPersonConfidence = ChosenFaces.minimumConfidence
    }

    /// How thoroughly faces were searched.
    struct Search: Encodable {
        var rate: String
        var accuracy: String
        var faces: String
        var minimumConfidence: Double
    }

    struct Frames: Encodable {
        var total: Int
        /// Frames in which at least one face is hidden.
        var withHiddenFaces: Int
        /// Frames that show a face that was to stay visible.
        var visible: Int
        var hiddenInDoubt: Int
        /// The same by reason.
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
    /// Whether the sound is that of the original, with all voices.
    var copiesAudio: Bool
    var copiesSubtitles: Bool
    var search: Search
    /// Missing if nobody was to stay visible.
    var visible: Visible?
    var frames: Frames
    /// When faces are hidden.
    var hidden: [HiddenSpans.Span]

    /// - Parameters:
    ///   - video: The options of the new video.
    ///   - analysis: The settings of the analysis.
    ///   - count: The number of frames.
    ///   - removedFaces: The faces that corrections removed.
    init(
        _ options: AnonymizeOptions, video: RenderOptions, analysis: RecordedSettings, frames count: Int,
        tally: VisibilityTally, spans: HiddenSpans, removedFaces: Set<Int>
    ) {
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
        hidden = spans.spans
        let choice = options.visible
        if choice.keepsSomebody {
            var named = Visible(
                keptFaceIds: choice.keptFaces.sorted(), hiddenFaceIds: choice.hiddenFaces.sorted())
            switch choice.people {
            case .nobody: break
            case .only(let people): named.keptPersonIds = people.sorted()
            case .allBut(let people): named.hiddenPersonIds = people.sorted()
            }
            let shown = choice.keptFaces.intersection(removedFaces).sorted()
            if !shown.isEmpty { named.keptFaceIdsRemovedByCorrections = shown }
            visible = named
        }
        frames = Frames(
            total: count, withHiddenFaces: spans.frameCount, visible: tally.visibleFrames,
            hiddenInDoubt: tally.doubtfulFrames,
            hiddenBy: Dictionary(uniqueKeysWithValues: tally.framesByDoubt.map { ($0.rawValue, $1) }))
    }

    /// The path of the record.
    ///
    /// - Parameters:
    ///   - path: The path of the video or picture.
    ///   - isInResult: Whether it has its usual name in the result's folder.
    static func path(of path: String, isInResult: Bool) -> String {
        isInResult ? (path as NSString).deletingPathExtension + ".json" : path + ".json"
    }

    /// The record as JSON.
    func text() throws(VidscanError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
        } catch {
            throw VidscanError(.output, "cannot write the record: \(error.localizedDescription)", stage: .render)
        }
    }
}
