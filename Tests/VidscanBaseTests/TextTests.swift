import Foundation
import Testing
import TestSupport
import VidscanBase

@Suite("Numbers and text are written in a fixed form")
struct TextTests {
    private func text(_ write: (inout ByteWriter) -> Void) -> String {
        var writer = ByteWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "Decimals have a fixed number of digits, ties round away from zero, and zero has no sign",
        arguments: [
            (0, 2, "0.00"), (-0.001, 2, "0.00"), (-0.0, 3, "0.000"), (0.125, 2, "0.13"), (-0.125, 2, "-0.13"),
            (2.5, 0, "3"), (-2.5, 0, "-3"), (1.005, 2, "1.00"), (-12.3456, 3, "-12.346"), (0.999, 2, "1.00"),
            (123_456_789.25, 1, "123456789.3"), (5e-10, 9, "0.000000001"),
        ] as [(Double, Int, String)])
    func decimals(value: Double, decimals: Int, expected: String) {
        #expect(text { $0.write(value, decimals: decimals) } == expected)
    }

    @Test("Except for ties, decimals equal those of printf", arguments: 0...6)
    func asPrintf(decimals: Int) {
        var random = SeededGenerator(seed: UInt64(decimals))
        var compared = 0
        for _ in 0..<3000 {
            let value = Double.random(in: -1e6...1e6, using: &random)
            let scaled = abs(value) * pow(10, Double(decimals))
            // This close to a tie, the product itself may have been rounded to the tie.
            guard abs(scaled - scaled.rounded(.down) - 0.5) > 0.001 else { continue }
            let expected = String(format: "%.\(decimals)f", value)
            let isNegativeZero = expected.hasPrefix("-") && !expected.contains { "123456789".contains($0) }
            #expect(text { $0.write(value, decimals: decimals) } == (isNegativeZero ? "0" : expected))
            compared += 1
        }
        #expect(compared > 2900)
    }

    @Test("The largest and smallest whole numbers are written correctly")
    func wholeNumbers() {
        for value in [0, 7, -7, 10, Int64.max, .min] { #expect(text { $0.write(value) } == "\(value)") }
        #expect(text { $0.write(scaled: -1, decimals: 6) } == "-0.000001")
        #expect(text { $0.write(scaled: .min, decimals: 6) } == "-9223372036854.775808")
        #expect(text { $0.write(scaled: 1_234_567, decimals: 6) } == "1.234567")
    }

    @Test("A CSV row leaves missing values blank and quotes fields where necessary")
    func csv() {
        let row: [Field] = [
            .microseconds(12_480_000), .integer(-3), .missing, .decimal(1.5, decimals: 2), .decimal(.nan, decimals: 2),
            .decimal(.infinity, decimals: 2), .text("plain"), .text("a,b"), .text("say \"hi\""), .text("two\nlines"),
            .text("cr\r"), .text(""),
        ]
        #expect(
            text { $0.writeCSV(row: row) }
                == "12.480000,-3,,1.50,,,plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"cr\r\",\n")
    }

    @Test("A JSON object keeps the order of its keys, and missing or non-finite numbers are null")
    func json() {
        let names = ["time", "id", "none", "value", "nan", "text"]
        let row: [Field] = [
            .microseconds(-500_000), .integer(1), .missing, .decimal(-0.25, decimals: 4), .decimal(.nan, decimals: 4),
            .text("é"),
        ]
        #expect(
            text { $0.writeJSON(names: names, row: row) }
                == #"{"time":-0.500000,"id":1,"none":null,"value":-0.2500,"nan":null,"text":"é"}"#)
    }

    @Test("Any text survives a round trip through JSON")
    func jsonText() throws {
        let control = String(String.UnicodeScalarView((0..<0x20).compactMap(Unicode.Scalar.init)))
        for original in ["", "\"\\/", control, "\u{7F}\u{85}\u{2028}\u{FEFF}\u{FFFF}é漢😀", "a\tb\r\n"] {
            let written = text { $0.writeJSON(text: original) }
            let decoded = try JSONDecoder().decode([String].self, from: Data("[\(written)]".utf8))
            #expect(decoded == [original])
            let escaped = "\u{7F}\u{85}\u{2028}\u{FEFF}\u{FFFF}".unicodeScalars
            #expect(!written.unicodeScalars.contains { $0.value < 0x20 || escaped.contains($0) })
        }
    }
}
