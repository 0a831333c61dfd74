import Foundation
import VidscanBase
import VidscanMedia
import VidscanRender
import VidscanResults

/// A file of covers, with which the faces of a good result are hidden.
enum CoverFuzzing {
    /// Drawing more takes a fuzzer too long.
    private static let maximumRegions = 64

    static func feed(_ bytes: ArraySlice<UInt8>, base: FuzzBase, scratch: FuzzScratch) {
        guard let input = String(validating: bytes, as: UTF8.self) else { return }
        // So that inputs fit the base, whatever its size.
        let size = (try? FileManager.default.attributesOfItem(atPath: base.video)[.size] as? Int) ?? 0
        let text = input.replacing("\"bytes\": 0", with: "\"bytes\": \(size)")
        do {
            let file = try CoverFile(text: text, path: "covers.json")
            guard file.regions.count <= maximumRegions else { return }
        } catch {
            demand(!error.reason.isEmpty && !error.reason.contains("\n"), "an error that is not one line")
            return
        }
        let folder = scratch.emptyFolder()
        scratch.write(text.utf8, to: folder + "/covers.json")
        var options = RenderOptions()
        options.codec = .ffv1
        options.limits = MediaLimits(maximumPixels: 1 << 20)
        options.anonymize = AnonymizeOptions(method: .pixelate)
        options.anonymize?.covers = folder + "/covers.json"
        let renderer = Renderer(options: options, observer: SilentObserver())
        waitFor {
            var expected = ["covers.json"]
            do {
                _ = try await renderer.run(
                    resultPath: "\(base.path)/\(FuzzBase.result)", input: base.video, outputPath: folder + "/out.mkv",
                    replaces: false)
                expected += ["out.mkv", "out.mkv.json"]
            } catch let error as VidscanError {
                demand(!error.reason.isEmpty && !error.reason.contains("\n"), "an error that is not one line")
            } catch {
                fatalError("an error of another kind: \(error)")
            }
            let left = (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
            demand(left == expected, "in the folder: \(left)")
        }
    }

    /// The initial corpus: each kind of region, around the first and the last face of the base.
    static func seeds(_ base: FuzzBase) -> [(name: String, bytes: [UInt8])] {
        let faces = (try? String(contentsOfFile: "\(base.path)/\(FuzzBase.result)/faces.csv", encoding: .utf8)) ?? ""
        let rows = faces.split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
        guard let first = rows.first, let last = rows.last, first.count > 8 else { return [] }
        let keyframes = "\"keyframes\": [\(CorrectionFuzzing.face(first)), \(CorrectionFuzzing.face(last))]"
        let seeds = [
            "cover": #"{"do": "cover", "what": "face", \#(keyframes)}"#,
            "follow": #"{"do": "cover", "what": "plate", "follow": true, \#(keyframes)}"#,
            "release": #"{"do": "release", \#(keyframes)}"#,
        ]
        let all = ("all", seeds.sorted { $0.key < $1.key }.map(\.value).joined(separator: ","))
        return (seeds.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [all]).map { name, text in
            let head = #""format": "vidscan covers 1", "video": {"name": "v", "bytes": 0}"#
            return (name, Array(#"{\#(head), "covers": [\#(text)]}"#.utf8))
        }
    }
}
