import Foundation
import Testing
import VidscanBase

@Suite("Text from files is made printable")
struct PrintableTests {
    @Test("Control characters and direction overrides are escaped, and all other text is unchanged")
    func line() throws {
        #expect(Printable.line("a\u{1B}[31mred\n\u{9B}2J\u{202E}.mp4") == #"a\u{1B}[31mred\u{A}\u{9B}2J\u{202E}.mp4"#)
        #expect(Printable.line("tab\tend\r\n") == #"tab\u{9}end\u{D}\u{A}"#)
        for plain in ["", "Zoë – 東京 🎬 אבג.mp4", #"C:\u{A}"#, "nbsp\u{A0}"] { #expect(Printable.line(plain) == plain) }
        for value: UInt32 in Array(0..<0x20) + Array(0x7F..<0xA0) + Array(0x202A...0x202E) + Array(0x2066...0x2069) {
            let scalar = try #require(Unicode.Scalar(value))
            #expect(Printable.line("a\(scalar)b") == "a\\u{\(String(value, radix: 16, uppercase: true))}b")
        }
    }

    @Test("Text of several lines keeps its line ends and tabs")
    func lines() {
        #expect(Printable.lines("a\tb\n\u{1B}c\r\n") == "a\tb\n\\u{1B}c\\u{D}\n")
    }

    @Test("Escaped JSON text keeps its value")
    func json() throws {
        let names = ["a\u{1B}\u{7F}\n\u{9B}2J\u{202E}\u{2066}é"]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        let text = Printable.json(String(decoding: try encoder.encode(names), as: UTF8.self))
        #expect(text.contains(#"a\u001b\u007f\n\u009b2J\u202e\u2066é"#), "\(text)")
        #expect(try JSONDecoder().decode([String].self, from: Data(text.utf8)) == names)
    }
}
