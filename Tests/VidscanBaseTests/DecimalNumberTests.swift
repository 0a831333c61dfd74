import Testing
import VidscanBase

@Suite("Numbers on the command line are read exactly")
struct DecimalNumberTests {
    @Test(
        "Rates are exact fractions",
        arguments: [
            ("5", 5, 1), ("0.7", 7, 10), (".5", 1, 2), ("2.", 2, 1), ("007", 7, 1), ("29.97", 2997, 100),
            ("30000/1001", 30_000, 1001), ("0.000000001", 1, 1_000_000_000), ("0", 0, 1), ("12.50", 25, 2),
        ] as [(String, Int64, Int64)])
    func rates(text: String, numerator: Int64, denominator: Int64) throws {
        let number = try #require(DecimalNumber.rational(text))
        #expect(number == Rational(numerator, denominator))
    }

    @Test(
        "Only positive decimal numbers are rates",
        arguments: [
            "", ".", "-1", "+1", "1e3", "1,5", " 1", "1 ", "nan", "inf", "1/0", "/2", "3/", "1/2/3", "1.5/2", "0x10",
            "0.0000000001", "10000000000", "99999999999999999999", "1/10000000000", "٣", "1.2.3",
        ])
    func refused(text: String) {
        #expect(DecimalNumber.rational(text) == nil)
    }

    @Test(
        "A position is in seconds, or in hours, minutes and seconds",
        arguments: [
            ("0", 0), ("90", 90_000_000), ("12.5", 12_500_000), ("1:30", 90_000_000), ("01:02:05.25", 3_725_250_000),
            ("100:00", 6_000_000_000), ("0.000001", 1), ("0.0000019", 1), (".04", 40_000),
            ("48:00:00", 172_800_000_000), ("1234.567891", 1_234_567_891), ("20:34.567891", 1_234_567_891),
            ("0.123456789", 123_456), ("3600000000.5", 3_600_000_000_500_000), ("5.", 5_000_000),
        ] as [(String, Int64)])
    func positions(text: String, microseconds: Int64) {
        #expect(DecimalNumber.microseconds(text) == microseconds)
    }

    @Test(
        "Any other position is refused",
        arguments: [
            "", ":", "1:", ":30", "1:60", "1:2:3:4", "1:-2", "-5", "1:60:00", "1/2", "1:1/2", "abc", "1:.", "1.5:00",
            ".", "1.0000000000", "1000000000001", "1.2.3",
        ])
    func refusedPositions(text: String) {
        #expect(DecimalNumber.microseconds(text) == nil)
    }
}
