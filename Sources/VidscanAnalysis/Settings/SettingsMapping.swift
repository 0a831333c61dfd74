internal import VidscanBase
package import VidscanFaces
internal import VidscanInference
public import VidscanRender
internal import VidscanResults

/// Maps the settings to the options of the libraries that an analysis uses.
extension Settings {
    /// The minimum confidence of a face that continues a track; it may be lower than that of a face that starts one.
    var candidateConfidence: Double {
        min(detect.minimumConfidence, max(0.25, detect.minimumConfidence * 0.6))
    }

    package var tracking: FaceTracker.Options {
        FaceTracker.Options(
            maximumGapSeconds: track.maximumGapSeconds, startingConfidence: detect.minimumConfidence,
            shapeVariances: FaceShape.betweenVariances)
    }

    var smoothing: LocalRegression? { track.smoothing ? LocalRegression() : nil }

    /// Returns the size in which the detector receives a frame. Frames are never enlarged.
    func detectorPictureSize(for display: PictureSize) -> PictureSize {
        let longSide = detect.accuracy.longSide * (detect.faces == .small ? 2 : 1)
        let scale = min(1, Double(longSide) / Double(display.longSide))
        return PictureSize(
            width: max(1, Int((Double(display.width) * scale).rounded())),
            height: max(1, Int((Double(display.height) * scale).rounded())))
    }

    /// The samples that are searched for faces. If faces are to be hidden, `RunAnalyzer` looks for them in the others too.
    var anchors: AnchorSchedule {
        AnchorSchedule(
            rate: sample.rate, maximumSamples: detect.keepsUncertainFaces ? .max : detect.stride ?? .max,
            maximumBytes: 12 << 20)
    }

    /// Whether faces are measured with the expression model.
    var needsExpressions: Bool {
        !measure.metrics.isEmpty || write.blendshapes || write.formats.contains(where: \.needsMeshes)
    }

    /// The options for the video to make from the result; `nil` makes none.
    var rendering: RenderOptions? {
        var options = render.options()
        options?.limits = sample.limits
        return options
    }

    public var messages: MessageOptions { MessageOptions(level: write.messages, format: write.logFormat) }
}

extension Settings.Write {
    /// Whether the meshes of the faces are kept until the tables are written.
    var keepsMeshes: Bool { landmarks || formats.contains(where: \.needsMeshes) }
}

extension Settings.Write {
    /// Whether tables stay in the result.
    package var keepsTables: Bool { tables ?? true }
}

extension Settings.Render {
    /// Who stays visible when faces are hidden.
    package var visible: FaceChoice {
        var choice = FaceChoice()
        if let keptPeople { choice.people = .only(keptPeople.ids) }
        if let hiddenPeople { choice.people = .allBut(hiddenPeople.ids) }
        choice.keptFaces = keptFaces?.ids ?? []
        choice.hiddenFaces = hiddenFaces?.ids ?? []
        return choice
    }

    /// Whether settings name a person or a face.
    package var namesSomebody: Bool {
        [keptPeople, hiddenPeople, keptFaces, hiddenFaces].contains { $0 != nil }
    }

    /// - Parameter isRequested: Whether to make a video even if no setting requests one.
    /// - Returns: `nil` if no video is to be made.
    public func options(isRequested: Bool = false) -> RenderOptions? {
        let draws = overlay || style != nil || show != nil
        guard isRequested || draws || sticker != nil || anonymize != nil else { return nil }
        var options = video
        options.anonymize = anonymize.map { method in
            var hiding = hiding
            hiding.method = method
            hiding.visible = visible
            return hiding
        }
        options.sticker = sticker.map { path in
            var image = image
            image.path = path
            return image
        }
        // Videos with hidden faces or stickers show no boxes unless boxes are requested too.
        if draws || (anonymize == nil && sticker == nil) {
            var drawing = drawing
            drawing.elements = show.map { Set($0) } ?? (style ?? .standard).elements
            options.overlay = drawing
        }
        return options
    }
}
