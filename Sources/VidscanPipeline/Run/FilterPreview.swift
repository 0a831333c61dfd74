internal import Foundation
internal import VidscanCore
internal import VidscanMedia

/// Shows what each filter of a chain does to one picture of a video.
public struct FilterPreview: Sendable {
    private let options: AnalysisOptions
    private let allowsFileFilters: Bool
    private let models: ModelStore?

    /// - Parameters:
    ///   - options: the filters, the stream and the limits of these are used, and for faces how they are detected.
    ///   - models: to mark faces on the last picture; `nil` marks none.
    public init(options: AnalysisOptions, allowsFileFilters: Bool, models: ModelStore?) {
        self.options = options
        self.allowsFileFilters = allowsFileFilters
        self.models = models
    }

    /// Writes a contact sheet: the source's picture, then that after each filter.
    ///
    /// - Parameters:
    ///   - microseconds: the first picture at or after this time is shown.
    ///   - path: of the PNG file to write.
    ///   - replaces: whether a file may be there already.
    /// - Throws: `PipelineError`.
    public func write(input: String, at microseconds: Int64, to path: String, replaces: Bool) throws(PipelineError) {
        guard replaces || !FileManager.default.fileExists(atPath: path) else {
            throw PipelineError(.exists, "is there already (--force replaces it)", input: path)
        }
        let file = try InputFile(input)
        var panels = [
            try panel(
                file, after: nil, title: "source", detail: nil, at: microseconds)
        ]
        for (number, prefix) in (options.filters?.prefixes() ?? []).enumerated() {
            let chain: FilterChain
            do {
                chain = try FilterChain(steps: prefix.steps, allowsFiles: allowsFileFilters)
            } catch {
                throw PipelineError(.media(error.code), error.message, input: input, stage: .decode)
            }
            let name = prefix.last.prefix { $0 != "=" }
            let settings = prefix.last.dropFirst(name.count + 1)
            panels.append(
                try panel(
                    file, after: chain, title: "\(number + 1)  \(name)",
                    detail: settings.isEmpty ? "default settings" : String(settings), at: microseconds))
        }
        if let models, let last = panels.indices.last {
            panels[last].marks = try FaceAnalyzer(models: models, options: options).analyze(panels[last].frame).faces
                .map(\.observation.box)
        }
        do {
            let png = try ContactSheet(panels).png()
            try Data(png).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch let error as MediaError {
            throw PipelineError(.media(error.code), error.message, input: input)
        } catch {
            throw PipelineError(.output, "cannot write it: \(error.localizedDescription)", input: path)
        }
    }

    private func panel(
        _ file: InputFile, after chain: FilterChain?, title: String, detail: String?, at microseconds: Int64
    ) throws(PipelineError) -> ContactSheet.Panel {
        do throws(MediaError) {
            let reader = try FrameReader(
                path: file.absolutePath,
                options: FrameReader.Options(
                    rate: .everyFrame, start: microseconds > 0 ? microseconds : nil, streamIndex: options.streamIndex,
                    limits: options.limits, filters: chain))
            guard let frame = try reader.next() else {
                throw MediaError(.undecodable, "has no picture at or after \(TimeText.seconds(microseconds)) s")
            }
            return ContactSheet.Panel(
                frame: frame, title: title, detail: detail ?? "at \(TimeText.seconds(frame.microseconds)) s")
        } catch {
            throw PipelineError(.media(error.code), error.message, input: file.name, stage: .decode)
        }
    }
}
