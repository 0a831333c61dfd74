import Foundation
import Glibc
import Testing

/// The unusual files that `samples/variants.sh` makes.
///
/// They are made once for each state of the script, the clip and ffmpeg, and stay in SwiftPM's scratch folder. Several
/// test processes may ask at once: one makes them, the others wait.
package enum Variants {
    /// The path of a variant. The test is skipped if this ffmpeg has no encoder for it.
    package static func path(_ name: String) throws -> String {
        let path = try folder.get() + "/" + name
        guard FileManager.default.fileExists(atPath: path) else {
            try skip(missing: Requirement("encoder", reason: "this ffmpeg cannot make \(name)"))
        }
        return path
    }

    private static let folder = Result { try make() }

    private static func make() throws -> String {
        let script = Checkout.samples + "/variants.sh"
        let version = try ChildProcess.run(["ffmpeg", "-version"]).outputBytes.prefix { $0 != UInt8(ascii: "\n") }
        var digest = Fingerprint()
        for name in [
            "variants.sh", "set_display_matrix.py", "mark_nonreference.py", "pair_fields.py", "faces.mp4",
        ] {
            digest.add(try Data(contentsOf: URL(fileURLWithPath: Checkout.samples + "/" + name)))
        }
        digest.add(version)
        let folder = Checkout.scratch + "/test-variants-" + digest.text

        let lock = open(Checkout.scratch + "/test-variants.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        try #require(lock >= 0, "cannot write to \(Checkout.scratch)")
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0, errno == EINTR {}
        if FileManager.default.fileExists(atPath: folder) { return folder }
        let unfinished = folder + ".unfinished"
        let made = try ChildProcess.run([script, unfinished])
        try #require(made.status == 0, "variants.sh failed: \(made.errors)")
        try FileManager.default.moveItem(atPath: unfinished, toPath: folder)
        return folder
    }
}

/// FNV-1a, 64 bits, which is enough to tell files apart.
private struct Fingerprint {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    var text: String { String(value, radix: 16) }
}
