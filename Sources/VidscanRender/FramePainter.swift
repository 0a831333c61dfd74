internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// Renders one frame after another: hides faces first, then adds stickers, then draws the overlay.
final class FramePainter {
    private let options: RenderOptions
    private var timeline: FaceTimeline
    private let hider: Anonymizer?
    private let sticker: StickerPainter?
    private let overlay: OverlayPainter?
    private var pictureCount = 0
    private var firstSize: PictureSize?

    init(_ options: RenderOptions, result: StoredResult) throws(VidscanError) {
        self.options = options
        let painter: StickerPainter? = if let sticker = options.sticker { try StickerPainter(sticker) } else { nil }
        // If faces are hidden by a sticker, the sticker belongs to the anonymizer.
        let covers = options.anonymize?.method == .sticker
        if covers, painter == nil {
            throw VidscanError(.setup, "--anonymize sticker needs --sticker", stage: .open)
        }
        sticker = covers ? nil : painter
        hider = options.anonymize.map { Anonymizer($0, sticker: covers ? painter : nil) }
        overlay = options.overlay.map(OverlayPainter.init)
        var needs = FaceTimeline.Needs()
        for other in [options.anonymize.map(Anonymizer.needs), options.overlay.map(OverlayPainter.needs)] {
            guard let other else { continue }
            needs.metrics.formUnion(other.metrics)
            needs.mesh = needs.mesh || other.mesh
            needs.behindSeconds = max(needs.behindSeconds, other.behindSeconds)
            needs.aheadSeconds = max(needs.aheadSeconds, other.aheadSeconds)
        }
        timeline = try FaceTimeline(result, needs: needs)
    }

    /// Renders one frame.
    ///
    /// - Returns: The number of faces that were drawn or hidden.
    /// - Throws: `MediaError`, or `VidscanError`. If faces are hidden, a frame that was not analysed itself is an
    ///   error.
    func paint(_ picture: EditablePicture) throws -> Int {
        var count = 0
        if let hider {
            let first = firstSize ?? picture.displaySize
            firstSize = first
            try AnonymizePreconditions.checkSize(
                picture.displaySize, first: first, microseconds: picture.microseconds, stage: .render)
            try timeline.advance(toSample: pictureCount, at: picture.microseconds)
            count = try hider.hide(in: picture, timeline: timeline, sample: pictureCount)
            pictureCount += 1
        } else {
            try timeline.advance(to: picture.microseconds)
        }
        guard sticker != nil || overlay != nil else { return count }
        let faces = timeline.faces(at: picture.microseconds)
        for face in faces { try sticker?.paint(on: face, of: picture) }
        if let overlay, let style = options.overlay {
            for face in faces {
                let trail =
                    style.elements.contains(.trail) ? timeline.trail(of: face, seconds: style.trailSeconds) : []
                let others = faces.filter { $0.faceID != face.faceID }.map(\.box)
                try overlay.paint(face, trail: trail, others: others, on: picture)
            }
        }
        return max(count, faces.count)
    }
    /// Ends the rendering after the last frame.
    ///
    /// - Throws: If faces are hidden, `VidscanError` when analysed frames are missing from the video.
    package func finish() throws(VidscanError) {
        if hider != nil { try timeline.finish(after: pictureCount) }
    }
}
