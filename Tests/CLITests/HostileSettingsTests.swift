import Foundation
import Glibc
import Testing
import TestSupport

@Suite("A hostile pipeline or list is refused before it is read")
struct HostileSettingsTests {
    /// Each key is a list that has the one before it twice. Comparing the last ones takes 2 to the power of 40 steps.
    private static let bomb =
        "? &a0 [a]\n: 1\n" + (1..<40).map { "? &a\($0) [*a\($0 - 1),*a\($0 - 1)]\n: 1\n" }.joined()

    @Test("A pipeline of 40 nested aliases ends at once with the line and column of the first")
    func aliases() throws {
        let folder = try TemporaryFolder()
        #expect(Self.bomb.utf8.count < 900)
        try folder.write(Self.bomb, to: "bomb.yaml")
        let reason =
            "bomb.yaml:1:3: anchors and aliases ('&' and '*') are not allowed; write the value where it is needed"
        for command in [["analyze", "x.mp4", "--pipeline"], ["pipelines", "show"]] {
            let process = try ChildProcess([Checkout.tool] + command + ["bomb.yaml"], in: folder.path)
            try process.finish(within: 30).expectError(reason, status: 2)
        }
    }

    @Test("A file that is too large is refused without being read")
    func large() throws {
        let folder = try TemporaryFolder()
        for name in ["p.yaml", "list.txt"] {
            let file = open(folder.path + "/" + name, O_CREAT | O_WRONLY, 0o600)
            defer { close(file) }
            try #require(ftruncate(file, 3 << 30) == 0)
        }
        // With 1 GB of memory, the 3 GB could not be read.
        let limited = { (command: String) in try Tool.shell("ulimit -d 1000000; exec \"$0\" \(command)", in: folder) }
        try limited("analyze x.mp4 --pipeline p.yaml").expectError("p.yaml: it is larger than 2097152 bytes", status: 2)
        try limited("batch --from list.txt --output out").expectError(
            "the list list.txt: it is larger than 67108864 bytes", status: 2)
        try limited("batch --from - --output out </dev/zero").expectError(
            "the list on standard input is larger than 67108864 bytes", status: 2)
        try limited("batch --from - --output out < <(yes | head -c 60000000)").expectError(
            "the list -: it has more than 1000000 paths", status: 2)
        try limited("batch --from - --output out < <(head -c 60000000 /dev/zero | tr '\\0' a)").expectError(
            "the list -: it has a path of 60000000 bytes, longer than any file's path", status: 2)
    }

    @Test("A pipe or device is refused and never waited for", arguments: ["pipe.yaml", "/dev/zero"])
    func special(name: String) throws {
        let folder = try TemporaryFolder()
        mkfifo(folder.path + "/pipe.yaml", 0o600)
        for (command, status) in [
            (["analyze", "x.mp4", "--pipeline", name], Int32(2)), (["batch", "--from", name, "--output", "out"], 2),
            (["pipelines", "show", name], 2),
        ] {
            let process = try ChildProcess([Checkout.tool] + command, in: folder.path)
            try process.finish(within: 30).expectError("it is not a regular file", status: status)
        }
    }
}
