import Foundation
import Testing
import TestSupport

@Suite("Standard output is checked like any other output")
struct StandardOutputTests {
    private static let commands = [
        "--help", "--version", "help analyze", "batch --help", "--generate-completion-script bash",
        "schema", "schema --format json", "pipelines show default", "pipelines list", "pipelines schema",
        "pipelines check fast", "filters list", "filters show eq", "doctor", "sample still.png",
        "verify still.png --quiet --format json",
    ]
    private static let batchCommands = [
        "batch status out", "batch status out --json", "batch merge out", "batch still.png --output new --dry-run",
    ]

    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try Variants.path("still.png"), toPath: folder.path + "/still.png")
        return folder
    }

    /// - Parameter readers: whether the command is also tried with a closed descriptor, and with a reader that has ended.
    private func expectChecked(_ command: String, readers: Bool, in folder: TemporaryFolder) throws {
        // The command prints something, so that each test is about a write.
        let whole = try Tool.shell("exec \"$0\" \(command)", in: folder)
        try #require(whole.status < 2 && !whole.output.isEmpty, "\(command): \(whole.errors)")
        try Tool.shell("exec \"$0\" \(command) >/dev/full", in: folder).expectError(
            "cannot write to standard output: No space left on device")
        guard readers else { return }
        try Tool.shell("exec \"$0\" \(command) >&-", in: folder).expectError(
            "cannot write to standard output: Bad file descriptor")
        // The reader has ended before the command starts.
        let closed = try Tool.shell("exec 3> >(exec true); wait $!; exec \"$0\" \(command) >&3", in: folder)
        #expect(closed.status == 0, "\(command)")
        #expect(closed.errors == "", "\(command)")
    }

    @Test("A full disk ends a command with an error", arguments: commands)
    func command(_ command: String) throws {
        try expectChecked(command, readers: false, in: try folder())
    }

    @Test(
        "A closed descriptor ends a command with an error, and a reader that needs no more with success",
        arguments: ["--help", "schema", "filters list", "sample still.png", "verify still.png --quiet --format csv"])
    func readers(_ command: String) throws {
        try expectChecked(command, readers: true, in: try folder())
    }

    @Test("The commands of a batch check standard output too")
    func batch() throws {
        let folder = try folder()
        try #require(try Tool.run("batch", "still.png", "--output", "out", in: folder).status == 0)
        for command in Self.batchCommands { try expectChecked(command, readers: true, in: folder) }
    }

    @Test("Closed standard descriptors are not taken by a file of the result")
    func closedDescriptors() throws {
        let folder = try folder()
        let closed = try Tool.shell("exec \"$0\" analyze still.png --verbose --output a <&- >&- 2>&-", in: folder)
        let open = try Tool.run("analyze", "still.png", "--output", "b", in: folder)
        #expect(closed.status == 0)
        try #require(open.status == 0)
        try folder.expectSameTables("a/still.png.vidscan", "b/still.png.vidscan")
    }
}
