internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// Renders one frame after another: hides faces first, then adds stickers, then draws the overlay.
final class FramePainter {
    private let options: RenderOptions
    private var timeline: FaceTimeline
    private let anonymizer: Anonymizer?
    private let sticker: StickerPainter?
    private let overlay: OverlayPainter?
    private var frameCount = 0
    private var firstSize: PictureSize?

    init(_ options: RenderOptions, tables: FaceTables) throws(VidscanError) {
        self.options = options
        let painter: StickerPainter? = if let sticker = options.sticker { try StickerPainter(sticker) } else { nil }
        // If faces are hidden by a sticker, the sticker belongs to the anonymizer.
        let covers = options.anonymize?.method == .sticker
        if covers, painter == nil {
            throw VidscanError(.setup, "--anonymize sticker needs --sticker", stage: .open)
        }
        sticker = covers ? nil : painter
        anonymizer =
            if let anonymize = options.anonymize {
                try Anonymizer(anonymize, of: tables, sticker: covers ? painter : nil)
            } else { nil }
        overlay = options.overlay.map(OverlayPainter.init)
        var needs = FaceTimeline.Needs()
        for other in [options.anonymize.map(Anonymizer.needs), options.overlay.map(OverlayPainter.needs)] {
            guard let other else { continue }
            needs.metrics.formUnion(other.metrics)
            needs.mesh = needs.mesh || other.mesh
            needs.behindSeconds = max(needs.behindSeconds, other.behindSeconds)
            needs.aheadSeconds = max(needs.aheadSeconds, other.aheadSeconds)
        }
        timeline = try FaceTimeline(tables, needs: needs)
    }

    /// Renders one frame.
    ///
    /// - Returns: The number of faces that were drawn or hidden.
    /// - Throws: `MediaError`, or `VidscanError`. If faces are hidden, a frame that was not analysed itself is an
    ///   error.
    func paint(_ frame: EditableFrame) throws -> Int {
        var count = 0
        if let anonymizer {
            let first = firstSize ?? frame.displaySize
            firstSize = first
            try AnonymizePreconditions.checkSize(
                frame.displaySize, first: first, microseconds: frame.microseconds, stage: .render)
            try timeline.advance(toSample: frameCount, at: frame.microseconds)
            count = try anonymizer.hide(in: frame, timeline: timeline, sample: frameCount)
            frameCount += 1
        } else {
            try timeline.advance(to: frame.microseconds)
        }
        guard sticker != nil || overlay != nil else { return count }
        let faces = timeline.faces(at: frame.microseconds).filter { anonymizer?.isRemoved($0.faceID) != true }
        for face in faces { try sticker?.paint(on: face, of: frame) }
        if let overlay, let style = options.overlay {
            for face in faces {
                let trail =
                    style.elements.contains(.trail) ? timeline.trail(of: face, seconds: style.trailSeconds) : []
                let others = faces.filter { $0.faceID != face.faceID }.map(\.box)
                try overlay.paint(face, trail: trail, others: others, on: frame)
            }
        }
        return max(count, faces.count)
    }

    /// What became of the faces that were to stay visible when the others were hidden; `nil` if no faces are hidden.
    var tally: VisibilityTally? { anonymizer?.tally }

    /// When faces were hidden.
    var hiddenSpans: HiddenSpans { anonymizer?.hiddenSpans ?? HiddenSpans() }

    /// Ends the rendering after the last frame.
    ///
    /// - Throws: If faces are hidden, `VidscanError` when analysed frames are missing from the video.
    func finish() throws(VidscanError) {
        if anonymizer != nil { try timeline.finish(after: frameCount) }
    }
}
