internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// Renders one frame after another: hides faces first, then adds stickers, then draws the overlay.
final class FramePainter {
    private let options: RenderOptions
    private var timeline: FaceTimeline
    let anonymizer: Anonymizer?
    private let sticker: StickerPainter?
    private let overlay: OverlayPainter?
    private var frameCount = 0
    private var firstSize: PictureSize?

    init(_ options: RenderOptions, tables: FaceTables) throws(VidscanError) {
        self.options = options
        let painter = try options.sticker.map(StickerPainter.init)
        // A sticker that hides faces belongs to the anonymizer.
        let covers = options.anonymize?.method == .sticker
        if covers, painter == nil { throw VidscanError(.setup, "--anonymize sticker needs --sticker", stage: .open) }
        sticker = covers ? nil : painter
        anonymizer = try options.anonymize.map { anonymize throws(VidscanError) in
            try Anonymizer(anonymize, of: tables, sticker: covers ? painter : nil)
        }
        overlay = options.overlay.map(OverlayPainter.init)
        timeline = try FaceTimeline(tables, needs: Self.needs(of: options))
    }

    private static func needs(of options: RenderOptions) -> FaceTimeline.Needs {
        var needs = FaceTimeline.Needs(mesh: options.needsLandmarks)
        if let anonymize = options.anonymize {
            needs.aheadSeconds = Anonymizer.reachSeconds(of: anonymize)
            needs.behindSeconds = needs.aheadSeconds
        }
        if let style = options.overlay {
            if style.elements.contains(.emotion) { needs.metrics.formUnion(Metric.namedEmotions) }
            if style.elements.contains(.bars) { needs.metrics.formUnion(style.bars) }
            if style.elements.contains(.trail) { needs.behindSeconds = max(needs.behindSeconds, style.trailSeconds) }
        }
        return needs
    }

    /// Returns the number of faces drawn or hidden. When hiding, a frame that was not analysed itself is an error.
    func paint(_ frame: EditableFrame) throws -> Int {
        var count = 0
        if let anonymizer {
            let first = firstSize ?? frame.displaySize
            firstSize = first
            try AnonymizeRequirements.checkSize(
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
                let trail = style.elements.contains(.trail) ? timeline.trail(of: face, seconds: style.trailSeconds) : []
                let others = faces.filter { $0.faceID != face.faceID }.map(\.box)
                try overlay.paint(face, trail: trail, others: others, on: frame)
            }
        }
        return max(count, faces.count)
    }

    /// When hiding, analysed frames that are missing from the video are an error.
    func finish() throws(VidscanError) {
        guard let anonymizer else { return }
        try timeline.finish(after: frameCount)
        try anonymizer.finish()
    }
}
