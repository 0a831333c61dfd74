import Foundation
import VidscanAnalysis
import VidscanBase
import VidscanCorrections

/// A file of corrections, applied to a good result. What was applied can be undone, and the result is then as before.
enum CorrectionFuzzing {
    static func feed(_ bytes: ArraySlice<UInt8>, base: FuzzBase, scratch: FuzzScratch) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let file: CorrectionFile
        do {
            file = try CorrectionFile(text: text, path: "corrections.json")
        } catch {
            demand(!error.reason.isEmpty && !error.reason.contains("\n"), "an error that is not one line")
            return
        }
        demand(file.list.count == file.corrections.count, "a correction got lost")
        let folder = scratch.emptyFolder()
        let result = "\(folder)/\(FuzzBase.result)"
        try? FileManager.default.copyItem(atPath: "\(base.path)/\(FuzzBase.result)", toPath: result)
        scratch.write(bytes, to: folder + "/corrections.json")
        let corrector = Corrector(model: ModelStore.expressionModel(recordedAs:))
        waitFor {
            do {
                _ = try await corrector.apply(folder + "/corrections.json", to: result)
                demand(contents(result) != contents("\(base.path)/\(FuzzBase.result)"), "run.json has no record")
                _ = try await corrector.undo(result)
            } catch let error as VidscanError {
                demand(!error.reason.isEmpty, "an error without a reason")
            } catch {
                fatalError("an error of another kind: \(error)")
            }
            demand(contents(result) == contents("\(base.path)/\(FuzzBase.result)"), "the result has changed")
        }
    }

    private static func contents(_ folder: String) -> [String: Data] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return Dictionary(
            uniqueKeysWithValues: paths.map { ($0, FileManager.default.contents(atPath: "\(folder)/\($0)") ?? Data()) })
    }

    /// The initial corpus: each kind of correction of the first two faces of the base.
    static func seeds(_ base: FuzzBase) -> [(name: String, bytes: [UInt8])] {
        let faces = (try? String(contentsOfFile: "\(base.path)/\(FuzzBase.result)/faces.csv", encoding: .utf8)) ?? ""
        let rows = faces.split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
        guard let first = rows.first, let last = rows.last, first.count > 8,
            let bytes = try? FileManager.default.attributesOfItem(atPath: base.video)[.size] as? Int
        else { return [] }
        let (one, other) = (face(first), face(last))
        let seeds = [
            "same": #"{"do": "same_person", "faces": [\#(one), \#(other)]}"#,
            "split": #"{"do": "split", "face": \#(one), "time": 0.4}"#,
            "name": #"{"do": "name", "face": \#(one), "name": "P01"}"#,
            "none": #"{"do": "not_a_face", "face": \#(other)}"#,
            "exclude": #"{"do": "exclude", "from": 0.2, "to": 0.3}"#,
            "note": #"{"do": "note", "time": 0.5, "text": "\u00e9\n", "face": \#(one)}"#,
        ]
        let all = ("all", seeds.sorted { $0.key > $1.key }.map(\.value).joined(separator: ","))
        return (seeds.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [all]).map { name, text in
            (
                name,
                Array(
                    #"{"format": "vidscan corrections 1", "video": {"name": "v", "bytes": \#(bytes)}, "corrections": [\#(text)]}"#
                        .utf8)
            )
        }
    }

    static func face(_ row: [Substring]) -> String {
        #"{"time": \#(row[0]), "box": [\#(row[4...7].joined(separator: ", "))]}"#
    }
}
