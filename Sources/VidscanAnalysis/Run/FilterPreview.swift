internal import VidscanFaces
package import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// Shows the effect of each filter of a chain on one frame of a video.
package struct FilterPreview: Sendable {
    private let settings: Settings
    private let allowsFileFilters: Bool
    private let models: ModelStore?

    /// Uses the settings' filters, stream, limits and detection. The models detect the faces to mark on the last panel.
    package init(settings: Settings, allowsFileFilters: Bool, models: ModelStore?) {
        (self.settings, self.allowsFileFilters, self.models) = (settings, allowsFileFilters, models)
    }

    /// Writes a contact sheet as PNG: the first frame at or after a time, then that frame after each filter.
    package func write(input: String, at microseconds: Int64, to path: String, replaces: Bool) throws(VidscanError) {
        let file = try InputFile(input)
        let sheet = try AtomicFile(path: path, replaces: replaces, source: file.absolutePath)
        var panels = [try panel(file, after: nil, title: "source", detail: nil, at: microseconds)]
        for (number, prefix) in (settings.filters?.prefixes() ?? []).enumerated() {
            let name = prefix.last.prefix { $0 != "=" }
            let settings = prefix.last.dropFirst(name.count + 1)
            panels.append(
                try panel(
                    file, after: prefix.steps, title: "\(number + 1)  \(name)",
                    detail: settings.isEmpty ? "default settings" : String(settings), at: microseconds))
        }
        if let models, let last = panels.indices.last {
            let (frame, analyzer) = (panels[last].frame, FaceAnalyzer(models: models, settings: settings))
            let faces = try Analysis.locating(frame) { try analyzer.faces(in: frame, upsideDown: true) }
            panels[last].marks = faces.map(\.detection.box)
        }
        let png: [UInt8]
        do { png = try ContactSheet.png(panels) } catch { throw Analysis.describe(error, input: input) }
        try sheet.write(png)
        try sheet.complete()
    }

    private func panel(
        _ file: InputFile, after steps: [String]?, title: String, detail: String?, at microseconds: Int64
    ) throws(VidscanError) -> ContactSheet.Panel {
        do throws(MediaError) {
            var chain: FilterChain?
            if let steps { chain = try FilterChain(steps: steps, allowsFiles: allowsFileFilters) }
            let reader = try FrameReader(
                path: file.absolutePath,
                options: FrameReader.Options(
                    rate: .everyFrame, start: microseconds > 0 ? microseconds : nil,
                    streamIndex: settings.sample.stream, limits: settings.sample.limits, filters: chain))
            guard let frame = try reader.next() else {
                throw MediaError(.undecodable, "has no frame at or after \(TimeText.seconds(microseconds)) s")
            }
            return ContactSheet.Panel(
                frame: frame, title: title, detail: detail ?? "at \(TimeText.seconds(frame.microseconds)) s")
        } catch { throw VidscanError(.media(error.code), error.message, input: file.name, stage: .decode) }
    }
}
