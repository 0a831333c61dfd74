import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanCorrections
import VidscanResults

@Suite("A file of corrections is read strictly")
struct CorrectionFileTests {
    private static let face = #"{"time": 2.0, "box": [1, 2.5, 30, 40]}"#

    private static func text(
        _ corrections: String, format: String = "vidscan corrections 1",
        video: String = #"{"name": "a.mp4", "bytes": 9}"#
    ) -> String {
        #"{"format": "\#(format)", "video": \#(video), "corrections": [\#(corrections)]}"#
    }

    @Test("Every kind of correction is read as it is written")
    func kinds() throws {
        let reference = try JSONDecoder().decode(FaceReference.self, from: Data(Self.face.utf8))
        #expect(reference.microseconds == 2_000_000)
        #expect(reference.box == Rectangle(x: 1, y: 2.5, width: 30, height: 40))
        let text = Self.text(
            """
            {"do": "same_person", "faces": [\(Self.face), \(Self.face)]},
            {"do": "different_people", "faces": [\(Self.face), \(Self.face)]},
            {"do": "split", "face": \(Self.face), "time": 12.4},
            {"do": "name", "face": \(Self.face), "name": "P01 \\u00e9"},
            {"do": "not_a_face", "face": \(Self.face)},
            {"do": "exclude", "from": 3.0, "to": 5},
            {"do": "note", "time": 3e0, "text": "a\\n\\ud83d\\ude00"},
            {"do": "note", "time": 3.0, "text": "", "face": \(Self.face)}
            """)
        let file = try CorrectionFile(text: text, path: "c.json")
        #expect(
            file.corrections == [
                .samePerson([reference, reference]), .differentPeople(reference, reference),
                .split(reference, at: 12_400_000), .name(reference, "P01 é"),
                .notAFace(reference), .exclude(3_000_000...5_000_000), .note(at: 3_000_000, "a\n😀", nil),
                .note(at: 3_000_000, "", reference),
            ])
        #expect(file.video.name == "a.mp4" && file.video.bytes == 9)
        #expect(file.list.count == 8)
    }

    @Test(
        "A file that is wrong is refused with its line and the reason",
        arguments: [
            ("", "not valid JSON"),
            ("[]", "wrong type"),
            ("{}", "'format' is missing"),
            (Self.text("", format: "vidscan corrections 2"), "'format' is 'vidscan corrections 2', but"),
            (Self.text("") + "x", "not valid JSON"),
            (Self.text("", video: "1"), "'video' must be an object"),
            (Self.text("", video: #"{"name": "a", "bytes": 1.5}"#), "must be a whole number"),
            (Self.text("", video: #"{"name": "a", "bytes": -1}"#), "must be from 0 to"),
            (Self.text("", video: #"{"name": "a"}"#), "'video.bytes' is missing"),
            (Self.text("\n{}"), "correction 1: 'do' is missing"),
            (Self.text(#"{"do": "splitt"}"#), "correction 1: 'do' is 'splitt'; the corrections are same_person"),
            (Self.text(#"{"do": "splitt"}"#), "did you mean 'split'?"),
            (
                Self.text(#"{"do": "exclude", "from": 1, "too": 2}"#),
                "correction 1: 'too' is not a known key; did you mean 'to'?"
            ),
            (Self.text(#"{"do": "exclude", "from": 2, "to": 1}"#), "correction 1: 'to' is before 'from'"),
            (Self.text(#"{"do": "exclude", "from": 2}"#), "correction 1: 'to' is missing"),
            (Self.text(#"{"do": "exclude", "from": 1e300, "to": 1e301}"#), "correction 1: 'from' must be from"),
            (Self.text(#"{"do": "exclude", "from": 1e999, "to": 1}"#), "not valid JSON"),
            (Self.text(#"{"do": "exclude", "from": NaN, "to": 1}"#), "not valid JSON"),
            (Self.text(#"{"do": "exclude", "from": 01, "to": 1}"#), "not valid JSON"),
            (Self.text(#"{"do": "same_person", "faces": [\#(Self.face)]}"#), "has 1 value; it must have 2 to 1000"),
            (
                Self.text(#"{"do": "not_a_face", "face": {"time": 1, "box": [1, 2, 3]}}"#),
                "has 3 values; it must have 4"
            ),
            (
                Self.text(#"{"do": "not_a_face", "face": {"time": 1, "box": [1, 2, 0, 3]}}"#),
                "correction 1: 'face.box' must have"
            ),
            (
                Self.text(#"{"do": "not_a_face", "face": {"time": "1", "box": []}}"#),
                "correction 1: 'face.time' must be a number"
            ),
            (Self.text(#"{"do": "name", "face": \#(Self.face), "name": "\u0007"}"#), "'name' must have 1 to 100"),
            (Self.text(#"{"do": "name", "face": \#(Self.face), "name": " "}"#), "'name' must have 1 to 100"),
            (Self.text(#"{"do": "note", "time": 1, "text": "\ud83d"}"#), "not valid JSON"),
            (Self.text(#"{"do": "note", "time": 1, "text": "\#u{1}"}"#), "not valid JSON"),
            (Self.text(#"{"do": "note", "time": 1, "text": "\x"}"#), "not valid JSON"),
            (Self.text(#"{"do": "note", "time": 1, "text": "x"#), "not valid JSON"),
            (String(repeating: "[", count: 100_000), "not valid JSON"),
            (Self.text(String(repeating: "{},", count: 10_000) + "{}"), "has 10001 values"),
            (
                Self.text(#"{"do": "note", "time": 1, "text": "\#(String(repeating: "x", count: 4001))"}"#),
                "longer than 4000 characters"
            ),
        ])
    func refused(text: String, reason: String) {
        let error = #expect(throws: VidscanError.self) { try CorrectionFile(text: text, path: "c.json") }
        #expect(error?.description.hasPrefix("c.json: ") == true, "\(error?.description ?? "")")
        #expect(error?.description.contains(reason) == true, "\(error?.description.prefix(300) ?? "")")
        #expect(error?.description.contains("\n") == false)
    }

    @Test("A file that is too large, or no text, is refused before it is read as JSON")
    func size() throws {
        let folder = try TemporaryFolder()
        let large = try folder.write(String(repeating: " ", count: CorrectionFile.maximumBytes + 1), to: "large.json")
        let error = #expect(throws: VidscanError.self) { try CorrectionFile(path: large) }
        #expect(error?.reason.contains("is larger than") == true)
        let binary = folder.path + "/binary.json"
        try #require(Self.write([0x7B, 0xFF, 0x7D], to: binary))
        #expect(throws: VidscanError.self) { try CorrectionFile(path: binary) }
        #expect(throws: VidscanError.self) { try CorrectionFile(path: folder.path) }
        #expect(throws: VidscanError.self) { try CorrectionFile(path: folder.path + "/missing.json") }
    }

    private static func write(_ bytes: [UInt8], to path: String) -> Bool {
        FileManager.default.createFile(atPath: path, contents: Data(bytes))
    }
}
