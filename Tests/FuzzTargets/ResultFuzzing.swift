import Foundation
import VidscanAnalysis
import VidscanBase
import VidscanExport
import VidscanMedia
import VidscanRender
import VidscanResults
import VidscanReport

/// Results and segments that an attacker wrote. An input is a letter for the command, then files that replace those of a
/// good result, each after a line with its path:
///
///     r
///     === result/tracks.csv
///     face_id,…
///
/// `r` makes a report, `t` one with thumbnails, `o` an overlay, `a` an anonymized video, `e` an export; `m` merges the
/// segments.
enum ResultFuzzing {
    private static let marker = Array("\n=== ".utf8)

    static func feed(_ bytes: ArraySlice<UInt8>, base: FuzzBase, scratch: FuzzScratch) {
        guard let action = bytes.first, "rtoaeim".utf8.contains(action) else { return }
        let folder = scratch.emptyFolder()
        var known: Set<String> = []
        let isMerge = action == UInt8(ascii: "m")
        for file in base.files() where file.hasPrefix("part-") == isMerge { known.insert(file) }
        let replaced = sections(bytes.dropFirst()).filter { known.contains($0.name) }
        // An input that replaces no file tests nothing.
        guard !replaced.isEmpty else { return }
        for part in isMerge ? FuzzBase.parts : [FuzzBase.result] {
            try? FileManager.default.createDirectory(atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
        }
        for file in known {
            let content = replaced.last { $0.name == file }?.content
            if let content {
                scratch.write(content, to: "\(folder)/\(file)")
            } else {
                try? FileManager.default.copyItem(atPath: "\(base.path)/\(file)", toPath: "\(folder)/\(file)")
            }
        }
        correctDigests(replaced.map(\.name), in: folder, base: base)
        let video = base.video
        waitFor {
            do {
                try await act(action, folder: folder, video: video)
            } catch let error as VidscanError {
                demand(!error.reason.isEmpty, "an error without a reason")
                let left = (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
                demand(left == (isMerge ? FuzzBase.parts : [FuzzBase.result]), "left behind: \(left)")
            } catch {
                fatalError("an error of another kind: \(error)")
            }
        }
    }

    private static func act(_ action: UInt8, folder: String, video: String) async throws {
        let result = "\(folder)/\(FuzzBase.result)"
        var options = RenderOptions()
        options.acceptsChangedSource = true
        options.codec = .ffv1
        options.limits = MediaLimits(maximumPixels: 1 << 20)
        switch action {
        case UInt8(ascii: "m"):
            for set in try SegmentMerger.sets(of: FuzzBase.parts.map { "\(folder)/\($0)" }) {
                _ = try await SegmentMerger(observer: SilentObserver()).run(
                    set, resultPath: "\(folder)/joined", replaces: false)
            }
        case UInt8(ascii: "o"), UInt8(ascii: "a"):
            if action == UInt8(ascii: "o") {
                options.overlay = OverlayStyle(elements: OverlayStyle.Preset.full.elements)
            } else {
                options.anonymize = AnonymizeOptions(method: .pixelate)
            }
            _ = try await Renderer(options: options, observer: SilentObserver()).run(
                resultPath: result, input: video, outputPath: "\(folder)/out.mkv", replaces: false)
        case UInt8(ascii: "e"):
            let exporter = Exporter(
                options: Exporter.Options(formats: ExportFormat.allCases),
                model: ModelStore.expressionModel(recordedAs:))
            _ = try await exporter.run(resultPath: result)
        case UInt8(ascii: "i"):
            _ = try await InteractionAnalysis().run(resultPath: result)
        default:
            var options = Report.Options()
            options.hasThumbnails = action == UInt8(ascii: "t")
            options.acceptsChangedSource = true
            _ = try await Report(options: options).run(
                resultPath: result, input: video, outputPath: "\(folder)/page.html", replaces: false)
        }
    }

    /// A digest detects damage but not an attack, because an attacker can write the digest too.
    private static func correctDigests(_ files: [String], in folder: String, base: FuzzBase) {
        for file in files where !file.hasSuffix(".json") {
            let record =
                "\(folder)/\((file as NSString).deletingLastPathComponent)/\(file.hasPrefix("part-") ? "part" : "run").json"
            guard let old = try? FileDigest.sha256(path: "\(base.path)/\(file)"),
                let new = try? FileDigest.sha256(path: "\(folder)/\(file)"),
                let text = try? String(contentsOfFile: record, encoding: .utf8)
            else { continue }
            try? text.replacing(old, with: new).write(toFile: record, atomically: false, encoding: .utf8)
        }
    }

    private static func sections(_ bytes: ArraySlice<UInt8>) -> [(name: String, content: ArraySlice<UInt8>)] {
        var sections: [(String, ArraySlice<UInt8>)] = []
        var rest = bytes
        var begin = find(marker[...], in: rest)
        while let start = begin {
            rest = rest[(start + marker.count)...]
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { break }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            begin = find(marker[...], in: rest)
            sections.append((name, begin.map { rest[..<$0] } ?? rest))
        }
        return sections
    }

    private static func find(_ pattern: ArraySlice<UInt8>, in bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = pattern.first else { return nil }
        var rest = bytes
        while let place = rest.firstIndex(of: first) {
            if rest[place...].starts(with: pattern) { return place }
            rest = rest[(place + 1)...]
        }
        return nil
    }

    /// The initial corpus: each file of the base alone.
    static func seeds(_ base: FuzzBase) -> [(name: String, bytes: [UInt8])] {
        base.files().flatMap { file -> [(String, [UInt8])] in
            guard let content = FileManager.default.contents(atPath: "\(base.path)/\(file)") else { return [] }
            return (file.hasPrefix("part-") ? "m" : "rtoaei").map { action in
                let name = "\(action)-" + file.replacingOccurrences(of: "/", with: "-")
                return (name, Array("\(action)\n=== \(file)\n".utf8) + content)
            }
        }
    }
}
