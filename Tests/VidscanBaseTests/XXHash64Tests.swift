import Testing
import VidscanBase

@Suite("XXH64 is the checksum of the specification")
struct XXHash64Tests {
    /// The values are those of libxxhash 0.8.1.
    @Test(
        "Texts of every kind of length have the checksums of the reference",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999),
            ("a", 0xD24E_C4F1_A98C_6E5B),
            ("abc", 0x44BC_2CF5_AD77_0999),
            ("message digest", 0x066E_D728_FCEE_B3BE),
            ("abcdefghijklmnopqrstuvwxyz", 0xCFE1_F278_FA89_835C),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 0xAAA4_6907_D304_7814),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                0xE04A_477F_19EE_145D
            ),
        ] as [(String, UInt64)])
    func vectors(text: String, checksum: UInt64) {
        #expect(XXHash64.checksum(text) == checksum)
    }

    @Test("Every bit counts, at every position and length")
    func bits() {
        for count in [1, 7, 8, 31, 32, 33, 100] {
            var bytes = [UInt8](repeating: 0x5A, count: count)
            let whole = bytes.withUnsafeBytes { XXHash64.checksum($0) }
            for position in bytes.indices {
                bytes[position] ^= 1 << (position % 8)
                #expect(bytes.withUnsafeBytes { XXHash64.checksum($0) } != whole)
                bytes[position] ^= 1 << (position % 8)
            }
        }
    }
}
