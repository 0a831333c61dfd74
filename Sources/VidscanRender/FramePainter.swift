internal import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// Paints one frame after the other: first hides, then puts stickers on, then draws.
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
        // As a cover the sticker is the hider's.
        let covers = options.anonymize?.method == .sticker
        if covers, painter == nil {
            throw VidscanError(.setup, "hiding faces by a sticker needs --sticker", stage: .open)
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

    /// - Returns: how many faces were painted or hidden.
    /// - Throws: where faces are hidden, `VidscanError` for a picture that was not analysed by itself.
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
    /// Takes note that there are no more pictures.
    ///
    /// - Throws: where faces are hidden, `VidscanError` when pictures that were analysed have not come.
    package func finish() throws(VidscanError) {
        if hider != nil { try timeline.finish(after: pictureCount) }
    }
}
