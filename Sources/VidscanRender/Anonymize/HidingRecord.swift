internal import Foundation
internal import VidscanBase

/// The record of a video in which faces are hidden, which is written beside it: who was kept visible, and in how many
/// frames. It names nobody, and has no path.
struct HidingRecord: Encodable {
    /// Who was to stay visible, as the user wrote it.
    struct Visible: Encodable {
        var keptPersonIds: [Int]?
        var hiddenPersonIds: [Int]?
        var keptFaceIds: [Int]
        var hiddenFaceIds: [Int]
        /// The `person_confidence` that was required.
        var minimumPersonConfidence = ChosenFaces.minimumConfidence
    }

    struct Frames: Encodable {
        var total: Int
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
    /// Missing if nobody was to stay visible.
    var visible: Visible?
    var frames: Frames

    init(_ options: AnonymizeOptions, frames count: Int, tally: VisibilityTally) {
        method = options.method.rawValue
        shape = options.shape.rawValue
        margin = options.margin
        strength = options.method == .blur || options.method == .pixelate ? options.resolvedStrength : nil
        holdSeconds = options.holdSeconds
        invert = options.isInverted
        let choice = options.visible
        if choice.keepsSomebody {
            var named = Visible(
                keptFaceIds: choice.keptFaces.sorted(), hiddenFaceIds: choice.hiddenFaces.sorted())
            switch choice.people {
            case .nobody: break
            case .only(let people): named.keptPersonIds = people.sorted()
            case .allBut(let people): named.hiddenPersonIds = people.sorted()
            }
            visible = named
        }
        frames = Frames(
            total: count, visible: tally.visibleFrames, hiddenInDoubt: tally.doubtfulFrames,
            hiddenBy: Dictionary(uniqueKeysWithValues: tally.framesByDoubt.map { ($0.rawValue, $1) }))
    }

    /// The path of the record of a video.
    static func path(ofVideo path: String) -> String { path + ".json" }

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
