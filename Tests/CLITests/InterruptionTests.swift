import Glibc
import Testing
import TestSupport

@Suite("An interrupted run leaves nothing unfinished")
struct InterruptionTests {
    /// Starts to analyse a long clip, and waits until the progress line shows that frames are being analysed.
    private func analyzing(in folder: TemporaryFolder) throws -> ChildProcess {
        let clip = try Tool.makeLongClip(in: folder)
        let process = try ChildProcess(
            [Checkout.tool, "analyze", clip, "--every-frame"], in: folder.path, errorsToTerminal: true)
        try process.waitForErrors(containing: " frames/s ")
        return process
    }

    /// The shell and the kernel both send SIGHUP if a terminal is closed.
    @Test(
        "A signal ends a run promptly with status 130, and so do the two of a closed terminal",
        arguments: [[SIGINT], [SIGTERM], [SIGHUP], [SIGHUP, SIGHUP]])
    func interrupted(signals: [Int32]) throws {
        let folder = try TemporaryFolder()
        let process = try analyzing(in: folder)
        for signal in signals {
            process.send(signal)
            usleep(1000)
        }
        // This takes well under a second on an idle machine. The rest of the video would take half a minute.
        let outcome = try process.finish(within: 5)
        #expect(outcome.status == 130)
        #expect(outcome.errors.hasSuffix("vidscan: error: interrupted; complete results are kept\r\n"))
        #expect(folder.entries == ["long.mp4"])
    }

    @Test("Results that were complete are kept")
    func keepsComplete() throws {
        let folder = try TemporaryFolder()
        let clip = try Tool.makeLongClip(in: folder)
        let process = try ChildProcess(
            [Checkout.tool, "analyze", try Variants.path("still.png"), clip, "--every-frame"], in: folder.path,
            errorsToTerminal: true)
        try process.waitForErrors(containing: "[2/2] long.mp4  ")
        process.send(SIGINT)
        #expect(try process.finish(within: 5).status == 130)
        #expect(folder.entries.filter { !$0.contains("/") } == ["long.mp4", "still.png.vidscan"])
    }

    @Test("A second signal of any kind ends a run at once", arguments: [(SIGINT, SIGTERM), (SIGTERM, SIGINT)])
    func second(first: Int32, second: Int32) throws {
        let folder = try TemporaryFolder()
        let process = try analyzing(in: folder)
        process.send(first)
        process.send(second)
        let outcome = try process.finish(within: 5)
        #expect(outcome.status == 130)
        // After the first signal alone, the run waits for its threads, and ends with a message.
        #expect(!outcome.errors.contains("interrupted"))
    }

    @Test(
        "A reader that closes the pipe early is not a failure",
        arguments: ["schema", "sample '\(Checkout.clip)' --every-frame"])
    func brokenPipe(command: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Tool.shell("\"$0\" \(command) | head -n 1", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.output.split(separator: "\n").count == 1)
        #expect(outcome.errors == "")
    }
}
