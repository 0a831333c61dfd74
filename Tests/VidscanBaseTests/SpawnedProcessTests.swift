import Foundation
import Glibc
import TestSupport
import Testing
import VidscanBase

@Suite("A spawned process can be signalled until it is reaped")
struct SpawnedProcessTests {
    private func start(_ script: String, descriptors: [Int32] = []) throws -> SpawnedProcess {
        try SpawnedProcess(
            ["/bin/sh", "-c", script], environment: ["PATH": "/usr/bin:/bin", "ANSWER": "42"], descriptors: descriptors,
            ignoresSignals: false)
    }

    @Test("A process ends with its status, and gets exactly the given variables")
    func status() throws {
        #expect(try start("exit $ANSWER").wait() == .status(42))
        #expect(try start("test -z \"$HOME\"").wait() == .status(0))
    }

    @Test("A process ends with the signal that ended it")
    func signal() throws {
        let process = try start("while :; do sleep 60; done")
        process.signalGroup(SIGKILL)
        #expect(process.wait() == .signal(SIGKILL))
    }

    @Test("A signal to the group reaches what the process has started")
    func group() throws {
        let pipe = Pipe()
        let process = try start(
            "trap '' TERM; sleep 60 & echo; wait", descriptors: [0, pipe.fileHandleForWriting.fileDescriptor])
        try pipe.fileHandleForWriting.close()
        // The shell writes a line when the other process has started, and that one keeps the pipe open.
        #expect(try pipe.fileHandleForReading.read(upToCount: 1) == Data("\n".utf8))
        process.signalGroup(SIGKILL)
        #expect(try pipe.fileHandleForReading.readToEnd() == nil)
        #expect(process.wait() == .signal(SIGKILL))
    }

    @Test("A process can be signalled just before it is reaped, and not afterwards")
    func reaped() throws {
        let process = try start("exit 0")
        var isThere = false
        _ = process.wait { isThere = kill(process.number, 0) == 0 }
        #expect(isThere)
        #expect(kill(process.number, 0) == -1)
        process.signal(SIGKILL)
    }

    @Test("A program that does not exist is an error")
    func missing() {
        let error = #expect(throws: SystemError.self) {
            try SpawnedProcess(["/nowhere/program"], environment: [:], descriptors: [], ignoresSignals: true)
        }
        #expect(error?.description == "No such file or directory")
    }
}
